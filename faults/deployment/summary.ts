import { SUMMARY_REQUEST } from '../../packages/loop/src/compaction/summary-prompt.ts';
import { type Plan, planIn, planText } from './plan.ts';

/** A summary as the scripted model writes it: what it replaces, and where to go on. */
export interface Summary {
  /** Messages that were answered before it, of whom nothing may come back. */
  readonly replaced: readonly string[];
  /** What was under way, and the step that is next. */
  readonly left?: { readonly plan: Plan; readonly step: number };
}

export const isSummaryRequest = (text: string): boolean => text === SUMMARY_REQUEST;

export const summaryWords = ({ replaced, left }: Summary): string =>
  [
    `replaced: ${replaced.join(' ')}`,
    ...(left === undefined ? [] : [`next: ${left.step} ${planText(left.plan)}`]),
  ].join('\n');

/** The summary that a prompt may begin with, behind the words that chatd puts before it. */
export function summaryIn(text: string): Summary | undefined {
  const [, replaced] = /^replaced: (.*)$/m.exec(text) ?? [];
  if (replaced === undefined) return undefined;
  const [, step, planned] = /^next: (\d+) (m-.*)$/ms.exec(text) ?? [];
  const plan = planIn(planned ?? '');
  return {
    replaced: replaced.split(' ').filter((id) => id !== ''),
    ...(plan !== undefined && { left: { plan, step: Number(step) } }),
  };
}

/** What is wrong with the texts of a prompt, as far as summaries go. */
export function wronglySummarised(texts: readonly string[]): string | undefined {
  const at = texts.findIndex((text) => summaryIn(text) !== undefined);
  const summary = summaryIn(texts[at] ?? '');
  if (summary === undefined) return undefined;
  if (at !== 0) return `a prompt has ${at} texts before its summary`;
  const { replaced, left } = summary;
  const back = texts.slice(1).find((text) => {
    const plan = planIn(text);
    if (plan !== undefined) return replaced.includes(plan.id);
    const [, id = '', step] = /^re:(m-[\w-]+)\/(\d+)/.exec(text) ?? [];
    // What was under way goes on after the summary.
    return replaced.includes(id) && !(left?.plan.id === id && Number(step) >= left.step);
  });
  return back === undefined ? undefined : `what a summary has replaced is in the prompt: ${back}`;
}

import { SUMMARY_REQUEST } from '../../packages/loop/src/compaction/summary-prompt.ts';
import { type Plan, parsePlan, formatPlan } from './plan.ts';

/** A summary by the scripted model. */
export interface Summary {
  /** Ids of the replaced messages, which later prompts must not contain. */
  readonly replaced: readonly string[];
  /** The unfinished plan and its next step. */
  readonly left?: { readonly plan: Plan; readonly step: number };
}

export const isSummaryRequest = (text: string): boolean => text === SUMMARY_REQUEST;

export const formatSummary = ({ replaced, left }: Summary): string =>
  [
    `replaced: ${replaced.join(' ')}`,
    ...(left === undefined ? [] : [`next: ${left.step} ${formatPlan(left.plan)}`]),
  ].join('\n');

/** Parses a summary, after the introduction that chatd adds. */
export function parseSummary(text: string): Summary | undefined {
  const [, replaced] = /^replaced: (.*)$/m.exec(text) ?? [];
  if (replaced === undefined) return undefined;
  const [, step, planned] = /^next: (\d+) (m-.*)$/ms.exec(text) ?? [];
  const plan = parsePlan(planned ?? '');
  return {
    replaced: replaced.split(' ').filter((id) => id !== ''),
    ...(plan !== undefined && { left: { plan, step: Number(step) } }),
  };
}

/** Returns the problem if the texts of a prompt contain replaced messages or a misplaced summary. */
export function findSummaryError(texts: readonly string[]): string | undefined {
  const at = texts.findIndex((text) => parseSummary(text) !== undefined);
  const summary = parseSummary(texts[at] ?? '');
  if (summary === undefined) return undefined;
  if (at !== 0) return `the prompt has ${at} texts before its summary`;
  const { replaced, left } = summary;
  const back = texts.slice(1).find((text) => {
    const plan = parsePlan(text);
    if (plan !== undefined) return replaced.includes(plan.id);
    const [, id = '', step] = /^re:(m-[\w-]+)\/(\d+)/.exec(text) ?? [];
    // Remaining steps of the unfinished plan follow the summary.
    return replaced.includes(id) && !(left?.plan.id === id && Number(step) >= left.step);
  });
  return back === undefined ? undefined : `the prompt contains a replaced message: ${back}`;
}

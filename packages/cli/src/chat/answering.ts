import type { BodyOf } from '@chatd/client';
import type { AwaitedCall } from '@chatd/protocol';
import { toolTitle } from '../chats/tool-title.ts';
import { terminalText } from '../output/terminal-text.ts';
import type { Page } from '../terminal/markdown.ts';
import { renderMarkdown } from '../terminal/markdown.ts';
import { span, wrap } from '../terminal/wrap.ts';

/** What a person has said to a call that waits for them. */
export type Reply =
  | { readonly kind: 'approval'; readonly body: BodyOf<'decideApprovals'> }
  | { readonly kind: 'question'; readonly body: BodyOf<'answerQuestion'> };

interface QuestionArguments {
  readonly question?: string;
  readonly options?: readonly { readonly label: string; readonly description?: string }[];
  readonly multiple?: boolean;
  readonly plan?: string;
}

const argumentsOf = ({ args }: AwaitedCall): QuestionArguments =>
  typeof args === 'object' && args !== null ? (args as QuestionArguments) : {};

const isPlan = (call: AwaitedCall) => argumentsOf(call).plan !== undefined;

/** The one that is answered first. Tools of other programs are not ours to answer. */
export const firstForPerson = (calls: readonly AwaitedCall[]): AwaitedCall | undefined =>
  calls.find(({ kind }) => kind !== 'dynamic');

/** What the person is asked, and how they can answer. */
export function askedLines(call: AwaitedCall, selected: ReadonlySet<number>, page: Page): string[] {
  const { width, style } = page;
  const first = style('yellow', '? ');
  if (call.kind === 'approval') {
    const title = span(`May it run ${toolTitle(call.tool_name, call.args)}`, 'bold');
    const keys = 'y yes · a always · n no · d never · esc stop the turn';
    return [...wrap([title], width, style, { first, rest: '  ' }), style('dim', `  ${keys}`)];
  }
  const { question = '', options = [], multiple, plan } = argumentsOf(call);
  if (plan !== undefined) {
    return [
      `${first}${style('bold', 'The plan stands above. Shall it be carried out?')}`,
      style('dim', '  y yes · or write what should be different, and ⏎'),
    ];
  }
  const rows = options.map(({ label, description }, index) => {
    const mark = multiple === true ? (selected.has(index) ? '☑ ' : '☐ ') : '';
    const note = description === undefined ? '' : ` – ${terminalText(description)}`;
    const text = [span(`${index + 1} ${mark}${terminalText(label)}`), span(note, 'dim')];
    return wrap(text, width, style, { first: '  ', rest: '    ' });
  });
  const choose = multiple === true ? 'numbers select, ⏎ answers' : 'a number answers';
  const keys = options.length === 0 ? '⏎ answers' : `${choose} · or write your own answer`;
  return [
    ...wrap([span(terminalText(question), 'bold')], width, style, { first, rest: '  ' }),
    ...rows.flat(),
    style('dim', `  ${keys}`),
  ];
}

/** A plan is printed in full when it comes. */
export function planLines(call: AwaitedCall, page: Page): string[] {
  const { plan } = argumentsOf(call);
  return plan === undefined ? [] : renderMarkdown(terminalText(plan), page);
}

const DECISIONS = {
  y: { decision: 'allow' },
  a: { decision: 'allow', remember: true },
  n: { decision: 'deny' },
  d: { decision: 'deny', remember: true },
} as const;

/** A key on an empty line. `select` is for questions with several answers. */
export function replyByKey(
  call: AwaitedCall,
  key: string,
): Reply | { readonly select: number } | undefined {
  const { tool_call_id } = call;
  if (call.kind === 'approval') {
    const decision = DECISIONS[key.toLowerCase() as keyof typeof DECISIONS];
    if (decision === undefined) return undefined;
    return { kind: 'approval', body: { decisions: [{ tool_call_id, ...decision }] } };
  }
  if (isPlan(call)) {
    if (key.toLowerCase() !== 'y') return undefined;
    return { kind: 'question', body: { tool_call_id, answer: { accepted: true } } };
  }
  const { options = [], multiple } = argumentsOf(call);
  const index = Number(key) - 1;
  const option = options[index];
  if (option === undefined) return undefined;
  if (multiple === true) return { select: index };
  return { kind: 'question', body: { tool_call_id, answer: { selected: [option.label] } } };
}

/** A line that was written, with what was selected. */
export function replyByText(
  call: AwaitedCall,
  text: string,
  selected: ReadonlySet<number>,
): Reply | undefined {
  const { tool_call_id, kind } = call;
  if (kind === 'approval') return replyOnly(replyByKey(call, text.trim().slice(0, 1)));
  if (isPlan(call)) {
    if (text.trim() === '') return undefined;
    const yes = /^y(es)?$/i.test(text.trim());
    const answer = yes ? { accepted: true } : { accepted: false, text };
    return { kind: 'question', body: { tool_call_id, answer } };
  }
  const labels = (argumentsOf(call).options ?? []).map(({ label }) => label);
  const chosen = labels.filter((_, index) => selected.has(index));
  if (text.trim() === '' && chosen.length === 0) return undefined;
  const answer = {
    ...(chosen.length > 0 && { selected: chosen }),
    ...(text.trim() !== '' && { text }),
  };
  return { kind: 'question', body: { tool_call_id, answer } };
}

const replyOnly = (reply: ReturnType<typeof replyByKey>): Reply | undefined =>
  reply !== undefined && 'kind' in reply ? reply : undefined;

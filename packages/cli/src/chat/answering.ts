import type { BodyOf } from '@chatd/client';
import type { AwaitedCall } from '@chatd/protocol';
import { toolTitle } from '../chats/tool-title.ts';
import { oneLine, terminalText } from '../output/terminal-text.ts';
import type { Page } from '../terminal/markdown.ts';
import { renderMarkdown } from '../terminal/markdown.ts';
import { wrap } from '../terminal/wrap.ts';

/** The reply of a person to a pending tool call. */
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

/** The first call that the user can reply to. Programs reply to dynamic tools. */
export const firstForPerson = (calls: readonly AwaitedCall[]): AwaitedCall | undefined =>
  calls.find(({ kind }) => kind !== 'dynamic');

/** The question to the user, with the keys that reply to it. */
export function questionLines(
  call: AwaitedCall,
  selected: ReadonlySet<number>,
  page: Page,
): string[] {
  const { width, style } = page;
  const question = (text: string) =>
    wrap(text, width, {
      first: style('yellow', '? '),
      rest: '  ',
      paint: (line) => style('bold', line),
    });
  const keys = (text: string) => style('dim', `  ${text}`);
  if (call.kind === 'approval') {
    const { pattern } = call;
    return [
      ...question(`Allow ${toolTitle(call.tool_name, call.args)}?`),
      keys('y allow · n deny · esc interrupt'),
      ...(pattern === undefined
        ? []
        : wrap(
            `c allow in this chat · a always allow · d always deny: saves the rule ${oneLine(pattern)}`,
            width,
            { first: '  ', rest: '    ', paint: (line) => style('dim', line) },
          )),
    ];
  }
  const { question: text = '', options = [], multiple, plan } = argumentsOf(call);
  if (plan !== undefined) {
    return [
      ...question('Accept the plan above?'),
      keys('y accept · or type the changes you want, then ⏎'),
    ];
  }
  const rows = options.map(({ label, description }, index) => {
    const mark = multiple === true ? (selected.has(index) ? '☑ ' : '☐ ') : '';
    const note = description === undefined ? '' : style('dim', ` – ${oneLine(description)}`);
    const option = `${index + 1} ${mark}${oneLine(label)}${note}`;
    return wrap(option, width, { first: '  ', rest: '    ' });
  });
  const choose = multiple === true ? 'number keys select, ⏎ sends' : 'a number key sends';
  return [
    ...question(terminalText(text)),
    ...rows.flat(),
    keys(options.length === 0 ? '⏎ sends' : `${choose} · or type your own answer`),
  ];
}

/** The plan of a call that proposes one. */
export function planLines(call: AwaitedCall, page: Page): string[] {
  const { plan } = argumentsOf(call);
  return plan === undefined ? [] : renderMarkdown(terminalText(plan), page);
}

const DECISIONS = {
  y: { decision: 'allow' },
  n: { decision: 'deny' },
  c: { decision: 'allow', remember: 'chat' },
  a: { decision: 'allow', remember: 'always' },
  d: { decision: 'deny', remember: 'always' },
} as const;

/** The reply for a key on an empty line. `select` toggles an option of a question with several answers. */
export function replyByKey(
  call: AwaitedCall,
  key: string,
): Reply | { readonly select: number } | undefined {
  const { tool_call_id } = call;
  if (call.kind === 'approval') {
    const pressed = key.toLowerCase();
    if (!Object.hasOwn(DECISIONS, pressed)) return undefined;
    const decision = DECISIONS[pressed as keyof typeof DECISIONS];
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

/** The reply for a typed line and the selected options. */
export function replyByText(
  call: AwaitedCall,
  text: string,
  selected: ReadonlySet<number>,
): Reply | undefined {
  const { tool_call_id, kind } = call;
  if (kind === 'approval') return decisionIn(call, text.trim());
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

/** Keys that are written out. Any other text is not a decision: "Add a test" must not always allow the call. */
const WRITTEN: ReadonlyMap<string, string> = new Map([
  ['yes', 'y'],
  ['no', 'n'],
  ['always', 'a'],
]);

/** A key, or `n` with a reason for the model. */
function decisionIn(call: AwaitedCall, text: string): Reply | undefined {
  const [, reason] = /^no?\s+(.+)$/is.exec(text) ?? [];
  if (reason === undefined) {
    return replyOnly(replyByKey(call, WRITTEN.get(text.toLowerCase()) ?? text));
  }
  const { tool_call_id } = call;
  return {
    kind: 'approval',
    body: { decisions: [{ tool_call_id, decision: 'deny', reason: reason.slice(0, 2000) }] },
  };
}

const replyOnly = (reply: ReturnType<typeof replyByKey>): Reply | undefined =>
  reply !== undefined && 'kind' in reply ? reply : undefined;

import type { HistoryMessage, HistoryPart } from '../history/message.ts';
import { isLocalCall } from '../history/open-calls.ts';

/**
 * How much of a history a prompt keeps. If a provider rejects the history, the next lower fidelity is used.
 * - `full`: everything that the provider sent and takes back.
 * - `self-contained`: no references, signatures or reasoning; provider-executed calls become text.
 * - `plain`: text only. Calls, results and files are described in words.
 */
export type Fidelity = 'full' | 'self-contained' | 'plain';

const LOWER: Record<Fidelity, Fidelity | undefined> = {
  full: 'self-contained',
  'self-contained': 'plain',
  plain: undefined,
};

/** The next fidelity that omits more of these messages, if any. */
export function lowerFidelity(
  fidelity: Fidelity,
  messages: readonly HistoryMessage[],
): Fidelity | undefined {
  const lower = LOWER[fidelity];
  if (lower === undefined) return undefined;
  const isLess = leftOut(lower, messages).length > leftOut(fidelity, messages).length;
  return isLess ? lower : lowerFidelity(lower, messages);
}

/** What a lower fidelity omits from these messages, as text. Empty if nothing. */
export function leftOut(fidelity: Fidelity, messages: readonly HistoryMessage[]): string[] {
  if (fidelity === 'full') return [];
  const parts = messages.flatMap(({ content }) => content);
  const counts: [number, string][] = [
    [count(parts, ({ type }) => type === 'reasoning'), 'reasoning'],
    [
      count(parts, (part) => 'provider_metadata' in part && part.type !== 'reasoning'),
      'references and signatures',
    ],
    [count(parts, isProviderExecuted), 'provider-executed calls as text'],
  ];
  if (fidelity === 'plain') {
    counts.push(
      [count(parts, isLocalCall), 'tool calls and their results as text'],
      [count(parts, hasFiles), 'files as notes'],
    );
  }
  return counts.flatMap(([number, what]) => (number === 0 ? [] : [`${what} (${number})`]));
}

const count = (parts: readonly HistoryPart[], matches: (part: HistoryPart) => boolean): number =>
  parts.filter(matches).length;

const isProviderExecuted = (part: HistoryPart): boolean =>
  part.type === 'tool-call' && part.provider_executed === true;

const hasFiles = (part: HistoryPart): boolean =>
  part.type === 'file' || (part.type === 'tool-result' && (part.file_ids ?? []).length > 0);

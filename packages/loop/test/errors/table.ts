import { classify, type Failure } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { expect, test } from 'vitest';

const clock = new ManualClock(Date.UTC(2026, 0, 1, 12));

export const classified = (error: unknown): Failure =>
  classify(error, { provider: 'openai', clock });

type Expected = Partial<Pick<Failure, 'kind' | 'context_too_long' | 'history_refused'>>;
type Row = readonly [name: string, error: unknown, expected: Expected];

export const REFUSED: Expected = { kind: 'config', history_refused: true };
export const TOO_LONG: Expected = { kind: 'context_length', context_too_long: true };
/** Neither a summary nor another form of the history helps. */
export const CONFIG: Expected = { kind: 'config' };

/** One test per row: the kind and the flags match exactly. */
export function table(rows: readonly Row[]): void {
  test.each(rows)('%s', (_, error, expected) => {
    const { kind, context_too_long, history_refused } = classified(error);
    const flags = {
      ...(context_too_long !== undefined && { context_too_long }),
      ...(history_refused !== undefined && { history_refused }),
    };
    expect({ kind, ...flags }).toEqual(expected);
  });
}

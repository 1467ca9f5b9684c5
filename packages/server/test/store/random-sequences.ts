import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { TestStore } from '@chatd/test-server/database';
import { Conductor } from './conductor.ts';
import { type Command, Model } from './model.ts';
import { anyDraft, clientDraft, resolveDraft, opening } from './random-commands.ts';

/** Resolves once the work has ended, or waits for a lock. */
export type SettledOrBlocked = (work: Promise<unknown>) => Promise<'settled' | 'blocked'>;

const move = fc.oneof(
  { weight: 9, arbitrary: fc.record({ draft: anyDraft, over: fc.constant(null) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      draft: anyDraft,
      over: fc.record({ draft: clientDraft, commits: fc.boolean() }),
    }),
  },
);

/**
 * Checks random commands of clients and runners against the model, one chat per sequence. Some commands come in
 * pairs that really overlap: the first holds the chat's lock in an open transaction while the second waits for it,
 * then commits or rolls back. The sequence determines which command waits, so a seed reproduces a failure.
 */
export async function checkSequences(
  store: TestStore,
  settledOrBlocked: SettledOrBlocked,
  options: { readonly numRuns: number; readonly seed: number },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      opening,
      fc.array(move, { minLength: 1, maxLength: 30, size: 'max' }),
      async (first, moves) => {
        const conductor = await Conductor.start(store, 'first');
        const model = new Model('first', 'Test');
        for (const [index, draft] of first.entries()) {
          await alone(conductor, model, resolveDraft(draft, model.seen, `o${index}`));
        }
        for (const [index, { draft, over }] of moves.entries()) {
          const command = () => resolveDraft(draft, model.seen, `m${index}`);
          // A sweep skips a locked chat.
          if (over === null || draft.kind === 'sweep') {
            await alone(conductor, model, command());
          } else {
            const first = resolveDraft(over.draft, model.seen, `h${index}`);
            // Resolved before the first commits, which makes it a race.
            const pair = { first, second: command(), commits: over.commits };
            await overlapping(conductor, model, pair, settledOrBlocked);
          }
          expect(await conductor.see()).toEqual(model.seen);
        }
      },
    ),
    options,
  );
}

async function alone(conductor: Conductor, model: Model, command: Command): Promise<void> {
  const { refusal } = await conductor.perform(command);
  expect(refusal, JSON.stringify(command)).toBe(model.apply(command));
}

interface Pair {
  readonly first: Command;
  readonly second: Command;
  readonly commits: boolean;
}

async function overlapping(
  conductor: Conductor,
  model: Model,
  { first, second, commits }: Pair,
  settledOrBlocked: SettledOrBlocked,
): Promise<void> {
  const tx = await conductor.store.database.begin();
  let met = model;
  let waiting;
  try {
    const { refusal } = await conductor.perform(first, tx);
    const stays = commits && refusal === null;
    const before = model.clone();
    if (commits) expect(refusal, JSON.stringify(first)).toBe(model.apply(first));
    waiting = conductor.perform(second);
    const waited = (await settledOrBlocked(waiting)) === 'blocked';
    // An acquisition does not wait for a chat that was not runnable before: it takes effect first and is refused.
    if (second.do === 'take_up' && stays && !waited) met = before;
    await (stays ? tx.commit() : tx.rollback());
  } finally {
    await tx.rollback();
  }
  const { refusal } = await waiting;
  expect(refusal, `${JSON.stringify(second)} behind ${JSON.stringify(first)}`).toBe(
    met.apply(second),
  );
}

import * as fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { hintOf } from '../../src/store/change.ts';
import { silent } from '../bus/world.ts';
import { TestStore } from '@chatd/test-server/database';
import { LossyBus } from './lossy-bus.ts';
import { move } from './random-moves.ts';
import { Replica } from './replica.ts';
import { Stage } from './stage.ts';

/*
 * Clients connect to and disconnect from two replicas while a chat receives messages, is edited, run, interrupted and
 * taken over, and fails. Some bus messages are lost. Each client must see the stored state: no message lost or
 * repeated, no live part lost, repeated or out of order.
 * CHATD_TEST_SEED=… npx vitest run random-streams
 */
const SEQUENCES = process.env['CHATD_TEST_ALL'] === '1' ? 2000 : 100;
const seed = Number(process.env['CHATD_TEST_SEED'] ?? Date.now() % 2 ** 31);

const store = await TestStore.open();
const between = new MemoryBus(silent);
const timing = { pollMs: 30, renewMs: 30, answerMs: 500, patienceMs: 200, interestMs: 500 };
const replicas = await Promise.all(
  [0, 1].map(async () => {
    const bus = new LossyBus(between);
    return { bus, replica: await Replica.start(store, bus, timing) };
  }),
);
store.listeners.add((change) => replicas[0]?.bus.publish('changes', { ...hintOf(change) }));
afterAll(() => Promise.all(replicas.map(({ replica }) => replica.close())));

test(`after each of ${SEQUENCES} random sequences, clients see the stored state (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 5, maxLength: 60, size: 'max' }),
      async (moves) => {
        const stage = await Stage.create(store, replicas);
        for (const each of moves) await stage.perform(each);
        await stage.end();
      },
    ),
    { numRuns: SEQUENCES, seed, endOnFailure: process.env['CHATD_TEST_SEED'] === undefined },
  );
}, 1_800_000);

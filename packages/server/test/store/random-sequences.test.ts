import { afterEach, test } from 'vitest';
import { execute, TestStore } from '@chatd/test-server/database';
import { settledOrBlocked } from './blocked.ts';
import { startNeighbor } from './neighbor.ts';
import { checkSequences } from './random-sequences.ts';

/* CHATD_TEST_SEED=… npx vitest run random-sequences */
const SEQUENCES = process.env['CHATD_TEST_ALL'] === '1' ? 20_000 : 250;
const seed = Number(process.env['CHATD_TEST_SEED'] ?? Date.now() % 2 ** 31);

const store = await TestStore.open();
afterEach(() => execute(store.url, 'TRUNCATE chats CASCADE'));

test(`${SEQUENCES} random sequences match the model (seed ${seed})`, async () => {
  const neighbor = await startNeighbor(store);
  await checkSequences(store, (work) => settledOrBlocked(store, work), {
    numRuns: SEQUENCES,
    seed,
  });
  await neighbor.check();
}, 3_600_000);

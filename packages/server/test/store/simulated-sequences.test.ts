import { test } from 'vitest';
import { insertUser, readChat, readHistory, TestStore } from '@chatd/test-server/database';
import { SimulatedDatabase } from '../../../../faults/simulation/connection.ts';
import { Postgres } from '../../../../faults/simulation/postgres.ts';
import { STATEMENTS } from '../../../../faults/simulation/statements/statements.ts';
import { on } from '../../../../faults/simulation/statements/statement.ts';
import { World } from '../../../../faults/simulation/world.ts';
import { VERSION_IDS } from './conductor.ts';
import { checkSequences } from './random-sequences.ts';

/*
 * The simulated PostgreSQL behaves like the real one: the same random sequences match the same model.
 * CHATD_TEST_SEED=… npx vitest run simulated-sequences
 */
const SEQUENCES = process.env['CHATD_TEST_ALL'] === '1' ? 20_000 : 300;
const seed = Number(process.env['CHATD_TEST_SEED'] ?? Date.now() % 2 ** 31);

const TEST_STATEMENTS = [
  on(insertUser, () => []),
  on(readChat, (session, { id }) => {
    const chat = session.chat(id);
    return chat === undefined ? [] : [chat.row];
  }),
  on(readHistory, (session, { chat_id }) => [...(session.chat(chat_id)?.messages ?? [])]),
  on(VERSION_IDS, (session, { chat_id }) => {
    const versions = session.chat(chat_id)?.versions ?? [];
    return versions.map(({ id }) => ({ id })).sort((one, other) => one.id - other.id);
  }),
];

test(`${SEQUENCES} random sequences match the model (seed ${seed})`, async () => {
  const world = new World(seed);
  const uninstall = world.install();
  const postgres = new Postgres(world, [...STATEMENTS, ...TEST_STATEMENTS]);
  const network = { latencyMs: () => world.random.integer(1, 3), loss: () => undefined };
  const database = new SimulatedDatabase(world, postgres, network).asDatabase();
  const settledOrBlocked = async (work: Promise<unknown>) => {
    const state = { isSettled: false };
    const settle = () => {
      state.isSettled = true;
    };
    work.then(settle, settle);
    // No statement takes longer.
    while (!state.isSettled && !postgres.isWaitedFor) await world.sleep(1);
    return state.isSettled ? 'settled' : 'blocked';
  };
  const work = (async () => {
    const store = await TestStore.open('', () => undefined, database);
    await checkSequences(store, settledOrBlocked, { numRuns: SEQUENCES, seed });
  })();
  try {
    await world.runUntil(Infinity, work);
  } finally {
    uninstall();
  }
  await work;
}, 3_600_000);

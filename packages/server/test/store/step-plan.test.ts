import { createTestDatabase, DEMO_MODEL, says } from '@chatd/test-server/database';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { toJson } from '../../src/store/json.ts';
import { commitSteps } from '../../src/store/queries/runs/commit-steps.ts';
import { PLAN_MODES, planOf } from '../support/plan.ts';

/* A batch of steps looks up each chat by its key. The planner must not join the whole table instead. */

const client = new Client((await createTestDatabase()).url);
await client.connect();
afterAll(() => client.end());

const OWNER = crypto.randomUUID();
await client.query(`INSERT INTO users (id, username, role) VALUES ($1, 'user', 'member')`, [OWNER]);

const insertChats = (count: number) =>
  client.query(
    `INSERT INTO chats (id, owner_id, status, title, model_config_id, snapshot_version, history_version, queue_version)
     SELECT gen_random_uuid(), $1, 'waiting', 'Some title', $2, 1, 1, 0 FROM generate_series(1, $3)`,
    [OWNER, DEMO_MODEL, count],
  );

const steps = Array.from({ length: 64 }, (_, step) => ({
  step,
  chat_id: crypto.randomUUID(),
  runner: crypto.randomUUID(),
  base_version: 1,
  base_attempt: 0,
  next: 'nothing',
  opened: [],
  compacted: false,
  replied: true,
}));
const params = {
  steps: toJson(steps),
  messages: toJson(steps.map(({ step }) => ({ ...says('done'), step }))),
};

async function expectLookups(): Promise<void> {
  for (const mode of PLAN_MODES) {
    const { indexes, scanned } = await planOf(client, commitSteps, mode, params);
    expect({ mode, indexes, scanned }).toEqual({
      mode,
      // To find a chat, and to lock it.
      indexes: ['chats_pkey', 'chats_pkey'],
      scanned: [],
    });
  }
}

test.each([
  ['a new database', 0],
  ['a few chats without statistics', 20],
  ['many chats without statistics', 5_000],
])('%s: steps look up their chats by key', async (_, count) => {
  await insertChats(count);
  await expectLookups();
});

test('many chats with statistics: steps look up their chats by key', async () => {
  await client.query('ANALYZE chats');
  await expectLookups();
});

test('many more chats than the statistics say: steps look up their chats by key', async () => {
  await insertChats(20_000);
  await expectLookups();
});

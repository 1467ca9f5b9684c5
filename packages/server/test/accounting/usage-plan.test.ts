import { UsageGroup } from '@chatd/protocol';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatCost, readSpend, reportUsage } from '../../src/store/queries/model-calls.ts';
import { valuesOf } from '../../src/store/statement.ts';
import {
  createTestDatabase,
  insertModelCalls,
  MODEL_CALLS_USER,
} from '@chatd/test-server/database';
import { PLAN_MODES, planOf } from '../support/plan.ts';

const { url } = await createTestDatabase();
const client = new Client(url);

beforeAll(async () => {
  await client.connect();
  await insertModelCalls(client);
});
afterAll(() => client.end());

/** Groups have an index too. */
const ofCalls = (index: string) => index.startsWith('model_calls');

const WEEK = { from: new Date('2025-06-02T00:00:00Z'), to: new Date('2025-06-09T00:00:00Z') };
const cases = UsageGroup.options.flatMap((group) =>
  PLAN_MODES.map((mode) => [group, mode] as const),
);

test('the table has more than a hundred thousand calls', async () => {
  const { rows } = await client.query<{ calls: number }>(
    'SELECT count(*)::int AS calls FROM model_calls',
  );
  expect(rows[0]?.calls).toBeGreaterThan(100_000);
});

test.each(cases)(
  "a report of a user's week by %s uses the index by user (%s)",
  async (group, mode) => {
    const { indexes, scanned } = await planOf(client, reportUsage.own[group], mode, {
      ...WEEK,
      user_id: MODEL_CALLS_USER,
    });
    expect(indexes.filter(ofCalls)).toEqual(['model_calls_by_user']);
    expect(scanned).toEqual([]);
  },
);

test.each(cases)(
  'a report of all users of a week by %s uses the index by time (%s)',
  async (group, mode) => {
    const { indexes, scanned } = await planOf(client, reportUsage.all[group], mode, WEEK);
    expect(indexes.filter(ofCalls)).toEqual(['model_calls_by_time']);
    expect(scanned).toEqual([]);
  },
);

test.each(PLAN_MODES)(
  "a user's spend of this month is read from the index alone (%s)",
  async (mode) => {
    const { indexes, scanned } = await planOf(client, readSpend, mode, {
      user_id: MODEL_CALLS_USER,
    });
    expect(indexes).toContain('model_calls_by_user');
    expect(scanned).not.toContain('model_calls');
  },
);

test.each(PLAN_MODES)('the cost of a chat uses the index by family (%s)', async (mode) => {
  const chat = '00000000-0000-4000-8000-000000000000';
  const { indexes, scanned } = await planOf(client, chatCost, mode, {
    chat_id: chat,
    root_id: chat,
  });
  expect(indexes).toContain('model_calls_by_family');
  expect(scanned).not.toContain('model_calls');
});

test('a report has every day of its range, in order', async () => {
  const { day } = reportUsage.all;
  const { rows } = await client.query<{ key: string; calls: string }>(
    day.text,
    valuesOf(day, WEEK),
  );
  expect(rows.map(({ key }) => key)).toEqual([
    '2025-06-02',
    '2025-06-03',
    '2025-06-04',
    '2025-06-05',
    '2025-06-06',
    '2025-06-07',
    '2025-06-08',
  ]);
});

import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { readChatSnapshot } from '../../src/store/queries/chats/snapshot.ts';
import { messagesBetween } from '../../src/store/queries/messages/read.ts';
import { newestVersions } from '../../src/store/queries/chats/versions.ts';
import { type ParamsOf, type Statement, valuesOf } from '../../src/store/statement.ts';
import { execute, TestStore } from '@chatd/test-server/database';

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Node[];
}

const store = await TestStore.open();
const chat = await store.create();
await execute(
  store.url,
  `INSERT INTO messages (chat_id, role, revision, content)
   SELECT '${chat.id}', 'assistant', 1, ('[{"type": "text", "text": "' || repeat('x', 500) || '"}]')::json
     FROM generate_series(1, 20000)`,
);
for (let index = 0; index < 50; index += 1) await store.create();
await execute(store.url, 'VACUUM ANALYZE');

/** The generic plan of a statement, and the blocks that it reads for these values. */
async function explain<Params>(
  statement: Statement<Params, unknown>,
  ...params: ParamsOf<NoInfer<Params>>
): Promise<Node> {
  const client = new Client(store.url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('SET plan_cache_mode = force_generic_plan');
  await client.query(`PREPARE it AS ${statement.text}`);
  const values = valuesOf(statement, ...params);
  const list = values.map((value) => client.escapeLiteral(literal(value))).join(', ');
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE it(${list})`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
  if (plan === undefined) throw new Error('no plan');
  return plan;
}

const literal = (value: unknown) => (Array.isArray(value) ? `{${value.join(',')}}` : String(value));

const scansOf = (node: Node, table: string): Node[] => [
  ...(node['Relation Name'] === table ? [node] : []),
  ...(node.Plans ?? []).flatMap((each) => scansOf(each, table)),
];

const touched = (node: Node) => node['Shared Hit Blocks'] + node['Shared Read Blocks'];

test('a check for changes reads only what is new, regardless of the length of the history', async () => {
  const newest = (await store.history(chat.id)).at(-1)?.id ?? 0;
  const plan = await explain(readChatSnapshot, {
    chat_id: chat.id,
    after_id: newest - 1,
    after_queue_version: 1,
    after_reset_version: 0,
    limit: 50,
    with_newest: false,
  });
  const scans = scansOf(plan, 'messages');
  expect(scans.length).toBeGreaterThan(0);
  for (const scan of scans) expect(scan['Index Name']).toBe('messages_pkey');
  expect(touched(plan)).toBeLessThan(30);
});

test('a client that catches up reads only the messages that it lacks', async () => {
  const newest = (await store.history(chat.id)).at(-1)?.id ?? 0;
  const plan = await explain(messagesBetween, {
    chat_id: chat.id,
    after_id: newest - 10,
    last_id: newest,
    reset_version: 0,
    limit: 50,
  });
  for (const scan of scansOf(plan, 'messages')) expect(scan['Index Name']).toBe('messages_pkey');
  expect(touched(plan)).toBeLessThan(30);
});

test('the newest chats of watching users are found through their index', async () => {
  const plan = await explain(newestVersions, { owner_ids: [store.owner], limit: 20 });
  const [scan] = scansOf(plan, 'chats');
  expect(scan?.['Index Name']).toBe('chats_by_activity');
});

import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Fence } from '../../packages/server/src/chat/fence.ts';
import { Store } from '../../packages/server/src/store/store.ts';

const DEMO_MODEL = '00000000-0000-7000-8000-000000000002';
const LEASE_MS = 3_600_000;
const text = (value: string) => [{ type: 'text' as const, text: value }];
const STEP = { role: 'assistant' as const, content: text('I am fine, and how are you yourself?') };
const CALL = {
  kind: 'turn' as const,
  model_config_id: DEMO_MODEL,
  usage: { input_tokens: 1200, output_tokens: 40, cache_read_tokens: 1000 },
  cost_micros: 4200,
  runtime_ms: 900,
};

/** Creates chats and performs the measured transitions. */
export async function openChats(url: string, connections: number) {
  const store = new Store({ url, connections });
  const owner = randomUUID();
  const worker = randomUUID();
  await sql(
    url,
    `INSERT INTO users (id, username, role) VALUES ('${owner}', '${owner}', 'member')`,
  );
  await store.runner.heartbeat(worker);
  const message = {
    busy_behavior: 'queue' as const,
    content: text('Hello, how are you today?'),
    model_config_id: null,
    reasoning_effort: null,
    created_by: owner,
  };

  return {
    /** Creates idle chats in bulk. */
    async idle(count: number): Promise<string[]> {
      const { rows } = await sql<{ id: string }>(
        url,
        `INSERT INTO chats (id, owner_id, status, title, model_config_id, snapshot_version, history_version,
                            queue_version)
         SELECT gen_random_uuid(), '${owner}', 'waiting', 'Some title', '${DEMO_MODEL}', 1, 1, 0
           FROM generate_series(1, ${count}) RETURNING id`,
      );
      return rows.map(({ id }) => id);
    },
    send: async (chatId: string): Promise<void> => {
      await store.client.send(chatId, message);
    },
    async acquire(count: number): Promise<Map<string, Fence>> {
      const rows = await store.runner.acquire(worker, count, LEASE_MS);
      return new Map(
        rows.map(({ id, runner_id, history_version }) => [
          id,
          { runner_id: runner_id ?? '', history_version },
        ]),
      );
    },
    async commitStep(chatId: string, fence: Fence, attempt: number): Promise<Fence> {
      const step = { messages: [STEP], attempt, call: CALL };
      const { history_version } = await store.runner.commitStep(chatId, fence, step);
      return { ...fence, history_version };
    },
    async beginAttempt(chatId: string, fence: Fence): Promise<void> {
      await store.runner.beginAttempt(chatId, fence, 1);
    },
    async finishTurn(chatId: string, fence: Fence): Promise<void> {
      await store.runner.finishTurn(chatId, fence);
    },
    clear: () => sql(url, 'TRUNCATE chats, model_calls CASCADE'),
    close: () => store.close(),
  };
}

export type Chats = Awaited<ReturnType<typeof openChats>>;

async function sql<Row extends object>(url: string, statement: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query<Row>(statement);
  } finally {
    await client.end();
  }
}

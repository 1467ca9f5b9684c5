import type { Client } from 'pg';

const MODEL_CALLS = 120_000;
const USERS = 50;
const CHATS = 5_000;

/** A user with a share of the calls. */
export const MODEL_CALLS_USER = '00000000-0000-4000-8000-000000000007';

const id = (number: string) =>
  `('00000000-0000-4000-8000-' || lpad((${number})::text, 12, '0'))::uuid`;

/** A year of model calls of many users, in chronological order. */
export async function insertModelCalls(client: Client, calls = MODEL_CALLS): Promise<void> {
  await client.query(
    `INSERT INTO users (id, username, role)
     SELECT ${id('n')}, 'user-' || n, 'member' FROM generate_series(0, ${USERS - 1}) AS n`,
  );
  await client.query(
    `INSERT INTO model_calls (user_id, chat_id, root_chat_id, model_config_id, created_at, input_tokens,
                              output_tokens, reasoning_tokens, cache_read_tokens, cache_creation_tokens,
                              cost_micros, runtime_ms, kind)
     SELECT ${id(`n % ${USERS}`)}, ${id(`n % ${CHATS}`)}, ${id(`n % ${CHATS}`)}, ${id('n % 7')},
            timestamptz '2025-01-01T00:00:00Z' + n * interval '365 days' / ${calls},
            n % 9000, n % 700, n % 90, n % 50000, n % 3000, NULLIF(n % 40000, 0), n % 20000,
            CASE WHEN n % 30 = 0 THEN 'summary' WHEN n % 20 = 0 THEN 'title' ELSE 'turn' END
       FROM generate_series(1, ${calls}) AS n`,
  );
  await client.query('VACUUM ANALYZE model_calls');
}

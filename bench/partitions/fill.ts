import type { Client } from 'pg';
import { Corpus, randomFrom } from '../search/corpus.ts';
import type { Layout } from './layout.ts';

/** Concurrent chats, so that rows of different chats are interleaved. */
const OPEN_CHATS = 200;
export const MESSAGES_PER_CHAT = 30;
const CONTENTS = 2_000;
const BATCH = OPEN_CHATS * MESSAGES_PER_CHAT * 5;
const MODEL = '00000000-0000-7000-8000-000000000002';
const OWNER = '00000000-0000-4000-8000-000000000001';

/** Contents of messages: questions of 10 to 60 words, answers of 40 to 200 words, tool results of 20 to 400 words. */
export function contents(): string[] {
  const corpus = new Corpus();
  const random = randomFrom(7);
  const sizes = [
    [10, 60],
    [40, 200],
    [20, 400],
  ] as const;
  return Array.from({ length: CONTENTS }, (_, index) => {
    const [least, most] = sizes[index % sizes.length] ?? [10, 60];
    const text = corpus.text(random, least + random() * (most - least));
    return JSON.stringify([{ type: 'text', text }]);
  });
}

/** Chats with ids of UUID version 7, one per second, and what the messages consist of. */
export async function prepare(client: Client, chats: number): Promise<void> {
  await client.query(
    `CREATE FUNCTION chat_number(number bigint) RETURNS uuid IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
       SELECT (lpad(to_hex(1767225600000 + number * 1000), 12, '0') || '7' || substr(digest, 1, 3)
               || '8' || substr(digest, 4, 15))::uuid
         FROM md5(number::text) AS digest
     $$`,
  );
  await client.query('CREATE TABLE contents (number bigint PRIMARY KEY, content json)');
  await client.query(
    'INSERT INTO contents SELECT number - 1, text::json FROM unnest($1::text[]) WITH ORDINALITY AS given (text, number)',
    [contents()],
  );
  await client.query(`INSERT INTO users (id, username, role) VALUES ('${OWNER}', 'one', 'member')`);
  await client.query(
    `INSERT INTO chats (id, owner_id, title, status, model_config_id, snapshot_version, history_version, queue_version)
     SELECT chat_number(number), '${OWNER}', 'A chat', 'waiting', '${MODEL}', 1, 1, 0
       FROM generate_series(0, $1::bigint - 1) AS number`,
    [chats],
  );
  await client.query('VACUUM ANALYZE');
}

/** Inserts rows in the order in which a server with many open chats does. Returns the rows per second of each tenth. */
export async function fill(client: Client, { schema }: Layout, rows: number): Promise<number[]> {
  const speeds: number[] = [];
  let started = performance.now();
  let counted = 0;
  for (let first = 0; first < rows; first += BATCH) {
    const last = Math.min(rows, first + BATCH) - 1;
    await client.query(
      `INSERT INTO ${schema}.messages (chat_id, role, revision, content, usage)
       SELECT chat_number(n / ${OPEN_CHATS * MESSAGES_PER_CHAT} * ${OPEN_CHATS} + n * 7919 % ${OPEN_CHATS}),
              CASE turn % 3 WHEN 0 THEN 'user' WHEN 1 THEN 'assistant' ELSE 'tool' END, turn + 1, content,
              CASE turn % 3 WHEN 1 THEN ARRAY[1200, 150, 0, 0, 0] END
         FROM (SELECT n, n / ${OPEN_CHATS} % ${MESSAGES_PER_CHAT} AS turn
                 FROM generate_series($1::bigint, $2::bigint) AS n) AS added
         JOIN contents ON contents.number = n % ${CONTENTS}
        ORDER BY n`,
      [first, last],
    );
    counted += last - first + 1;
    if (counted < rows / 10 && last + 1 < rows) continue;
    speeds.push(counted / ((performance.now() - started) / 1000));
    started = performance.now();
    counted = 0;
  }
  return speeds;
}

import type { Client } from 'pg';
import { Corpus, type Random, randomFrom } from './corpus.ts';

export interface Deployment {
  readonly messages: number;
  readonly chats: number;
  readonly users: number;
}

const MESSAGES_PER_CHAT = 100;
const CHATS_PER_USER = 100;

/** A deployment of typical proportions. */
export function deploymentWith(messages: number): Deployment {
  const chats = Math.ceil(messages / MESSAGES_PER_CHAT);
  return { messages, chats, users: Math.ceil(chats / CHATS_PER_USER) };
}

/** Concurrent chats, so that rows of different owners are interleaved. */
const OPEN_CHATS = 200;
const MODEL = '00000000-0000-7000-8000-000000000002';

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');
/** Owners differ in the last digits, like the random digits of a real ID. */
export const userId = (user: number): string =>
  `00000000-0000-4000-8000-${padded((user * 2_654_435_761) % 1_000_000_000_000, 12)}`;
const chatId = (chat: number): string => `01900000-0000-7000-8000-${padded(chat, 12)}`;

/**
 * Inserts users, chats and messages (questions of 10 to 60 words, answers of 40 to 200) in the order of a real server,
 * without indexing them for search.
 */
export async function fill(client: Client, deployment: Deployment): Promise<void> {
  const { chats, users } = deployment;
  await client.query('ALTER TABLE messages DISABLE TRIGGER USER');
  await insert(client, 'users', 'id uuid, username text, role text', function* () {
    for (let user = 0; user < users; user += 1) yield [userId(user), `user${user}`, 'member'];
  });
  const random = randomFrom(7);
  const corpus = new Corpus();
  const columns =
    'id uuid, owner_id uuid, title text, status text, model_config_id uuid, snapshot_version bigint, history_version bigint, queue_version bigint, active_at timestamptz';
  await insert(client, 'chats', columns, function* () {
    for (let chat = 0; chat < chats; chat += 1) {
      const title = corpus.text(random, 5);
      const at = new Date(1_767_225_600_000 + chat * 60_000).toISOString();
      yield [chatId(chat), userId(chat % users), title, 'waiting', MODEL, '1', '1', '0', at];
    }
  });
  const parts = 'chat_id uuid, role text, revision bigint, content json, usage int[]';
  await insert(client, 'messages', parts, () => messageRows(corpus, random, deployment));
  await client.query('ALTER TABLE messages ENABLE TRIGGER USER');
  await client.query('INSERT INTO search_pending SELECT id, owner_id, 0 FROM chats');
  await client.query('VACUUM ANALYZE');
}

function* messageRows(
  corpus: Corpus,
  random: Random,
  { messages, chats }: Deployment,
): Generator<(string | null)[]> {
  const perChat = Math.ceil(messages / chats);
  const open = Array.from({ length: Math.min(OPEN_CHATS, chats) }, (_, chat) => ({
    chat,
    said: 0,
  }));
  let next = open.length;
  for (let count = 0; count < messages; count += 1) {
    const place = Math.floor(random() * open.length);
    const current = open[place];
    if (current === undefined) return;
    const isQuestion = current.said % 2 === 0;
    const words = isQuestion ? 10 + random() * 50 : 40 + random() * 160;
    const content = JSON.stringify([{ type: 'text', text: corpus.text(random, words) }]);
    const usage = isQuestion ? null : '{1200,150,0,0,0}';
    yield [
      chatId(current.chat),
      isQuestion ? 'user' : 'assistant',
      String(count + 1),
      content,
      usage,
    ];
    current.said += 1;
    if (current.said < perChat) continue;
    if (next < chats) open[place] = { chat: next, said: 0 };
    else open.splice(place, 1);
    next += 1;
  }
}

const ROWS = 1000;

/** `columns` contains names with types. */
async function insert(
  client: Client,
  table: string,
  columns: string,
  rows: () => Iterable<readonly (string | null)[]>,
): Promise<void> {
  const typed = columns.split(', ').map((column) => column.split(' '));
  const names = typed.map(([name = '']) => name).join(', ');
  const values = typed.map(([name = '', type = '']) => `${name}::${type}`).join(', ');
  const sources = typed.map((_, index) => `$${index + 1}::text[]`).join(', ');
  const text = `INSERT INTO ${table} (${names}) SELECT ${values} FROM unnest(${sources}) AS row (${names})`;
  let held: (readonly (string | null)[])[] = [];
  const flush = async () => {
    await client.query(
      text,
      typed.map((_, index) => held.map((row) => row[index] ?? null)),
    );
    held = [];
  };
  for (const row of rows()) {
    held.push(row);
    if (held.length >= ROWS) await flush();
  }
  await flush();
}

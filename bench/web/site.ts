import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, type FakeProvider, type Scripted, startFakeProvider, text } from '@chatd/testing';
import { Client } from 'pg';
import { startChatd } from '../../packages/server/src/app.ts';
import { createLog } from '../../packages/server/src/log.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/postgres/index.ts';
import { ADMIN_TOKEN, config } from '@chatd/test-server';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { buildWebUiInto } from '../../scripts/web-ui.ts';

export interface BenchSite {
  readonly url: string;
  /** Directory with the built web UI. */
  readonly webFolder: string;
  /** The next responses of the model. */
  readonly answers: Scripted[];
  /** Opening it in a browser signs in. */
  signInLink(): Promise<string>;
  /** Inserts a chat with this number of messages. */
  storeChat(messages: number): Promise<string>;
  say(chatId: string, words: string): Promise<void>;
  /** Resolves when the turn has finished. */
  finished(chatId: string): Promise<void>;
  close(): Promise<void>;
}

/** The fields that are read from responses. */
interface Answered {
  readonly id: string;
  readonly url: string;
  readonly status: string;
}

/** Starts a server with the built web UI, a fake provider and its own database. */
export async function openBenchSite(): Promise<BenchSite> {
  const directory = await makeTemporaryDirectory();
  const webFolder = join(directory, 'web');
  await buildWebUiInto(webFolder);
  const postgres = await startEmbeddedPostgres({
    dataDir: join(directory, 'postgres'),
    settings: { fsync: 'off' },
  });
  const provider = await startFakeProvider({ api: 'anthropic' });
  const answers = scripted(provider);
  const log = createLog({ level: 'error', secrets: [], readable: true, write: console.error });
  const chatd = await startChatd(
    config({
      databaseUrl: postgres.url,
      concurrency: 4,
      allowPrivateUrls: true,
      secretKey: 'a-key-for-benchmarks-0123456789',
    }),
    { log, webFolder },
  );
  const call = async (method: string, path: string, body?: object): Promise<Answered> => {
    const response = await fetch(`${chatd.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answered;
  };
  const { id: provider_id } = await call('POST', '/providers', {
    type: 'anthropic',
    name: 'Fake',
    base_url: provider.url,
    api_key: 'sk-any-key',
  });
  const { id: model } = await call('POST', '/model-configs', {
    provider_id,
    model: 'claude-sonnet-4-5',
    display_name: 'Sonnet',
    context_limit: 200_000,
    is_default: true,
  });
  const database = new Client(postgres.url);
  await database.connect();
  const { id: user } = await call('GET', '/users/me');
  return {
    url: chatd.url,
    webFolder,
    answers,
    signInLink: async () => (await call('POST', `/users/${user}/sign-in-link`)).url,
    async storeChat(messages) {
      const { rows } = await database.query<{ id: string }>(INSERT_CHAT, [user, model, messages]);
      return rows[0]?.id ?? '';
    },
    say: async (chatId, words) =>
      void (await call('POST', `/chats/${chatId}/messages`, { content: words })),
    async finished(chatId) {
      while ((await call('GET', `/chats/${chatId}`)).status !== 'waiting') {
        await sleep(200);
      }
    },
    async close() {
      await database.end();
      await chatd.close();
      await provider.close();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Title requests can arrive at any time and must not consume a response. */
function scripted(provider: FakeProvider): Scripted[] {
  const answers: Scripted[] = [];
  provider.answerWith(({ body }) =>
    JSON.stringify(body['system'] ?? '').includes('You name conversations')
      ? answer([text('A title')])
      : (answers.shift() ?? answer([text('Nothing more.')])),
  );
  return answers;
}

/** Questions, and answers of different lengths with prose, lists, tables and code. */
const INSERT_CHAT = `
  WITH chat AS (
    INSERT INTO chats (id, owner_id, title, model_config_id, status, snapshot_version, history_version, queue_version)
    VALUES (gen_random_uuid(), $1, 'A chat of ' || $3 || ' messages', $2, 'waiting', 1, 1, 0)
    RETURNING id
  ), stored AS (
    INSERT INTO messages (chat_id, revision, role, content, model_config_id)
    SELECT chat.id, 1, CASE n % 2 WHEN 0 THEN 'user' ELSE 'assistant' END,
           json_build_array(json_build_object('type', 'text', 'text',
             CASE n % 2 WHEN 0 THEN 'Question ' || n ELSE
               'Answer ' || n || E'. \\n\\n' || repeat('Some **words** of an answer, with \`code\` in it. ', n % 13 * 2) ||
               E'\\n\\n- one\\n- two\\n\\n' ||
               CASE n % 3 WHEN 0 THEN E'\`\`\`ts\\n' || repeat(E'const value = compute(input);\\n', n % 17) || E'\`\`\`\\n'
                          ELSE E'| a | b |\\n|---|---|\\n| 1 | 2 |\\n' END END)), $2
      FROM chat, generate_series(0, $3::integer - 1) AS n
    RETURNING 1
  )
  SELECT chat.id FROM chat, (SELECT count(*) FROM stored) AS done`;

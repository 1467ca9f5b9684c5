import type { Part, Usage } from '@chatd/protocol';
import { randomUUID } from 'node:crypto';
import { usageArray } from '../../../server/src/store/queries/messages/columns.ts';
import { type JsonText, toJson } from '../../../server/src/store/json.ts';
import { statement } from '../../../server/src/store/statement.ts';
import type { ApiClient } from '@chatd/test-server';
import type { TestStore } from '@chatd/test-server/database';

export interface StoredMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: readonly Part[];
  readonly usage?: Usage;
  readonly cost_micros?: number;
  readonly runtime_ms?: number;
  readonly created_at?: string;
  readonly meta?: object;
}

const insertChat = statement<
  { id: string; owner_id: string; title: string; model_config_id: string },
  never
>(
  'test-insert-chat',
  `INSERT INTO chats (id, owner_id, title, model_config_id, status, snapshot_version, history_version, queue_version)
   VALUES (:id, :owner_id, :title, :model_config_id, 'waiting', 1, 1, 0)`,
);
const insertMessages = statement<
  { chat_id: string; model_config_id: string; messages: JsonText },
  never
>(
  'test-insert-messages',
  `INSERT INTO messages (chat_id, revision, role, content, model_config_id, meta, usage, cost_micros, runtime_ms, created_at)
   SELECT :chat_id, 1, m.role, m.content, :model_config_id, m.meta, ${usageArray('m.usage')}, m.cost_micros, m.runtime_ms,
          coalesce(m.created_at, now())
     FROM json_to_recordset(:messages::json) AS m (
       role text, content jsonb, meta jsonb, usage json, cost_micros bigint, runtime_ms bigint, created_at timestamptz)`,
);

/** Inserts a finished chat directly into the database. */
export async function storeChat(
  store: TestStore,
  api: ApiClient,
  modelConfigId: string,
  messages: readonly StoredMessage[],
  title = 'A long story',
): Promise<string> {
  const id = randomUUID();
  const { id: owner } = await api.ok('getMe');
  await store.database.query(insertChat, {
    id,
    owner_id: owner,
    title,
    model_config_id: modelConfigId,
  });
  await store.database.query(insertMessages, {
    chat_id: id,
    model_config_id: modelConfigId,
    messages: toJson(messages),
  });
  return id;
}

export const said = (role: 'user' | 'assistant', text: string): StoredMessage => ({
  role,
  content: [{ type: 'text', text }],
});

/** Numbered questions and answers of different lengths. */
export const longStory = (count: number): StoredMessage[] =>
  Array.from({ length: count }, (_, at) =>
    at % 2 === 0
      ? said('user', `Question ${at}`)
      : said(
          'assistant',
          `Answer ${at}. ${'Some words that fill the lines of an answer. '.repeat((at * 7) % 40)}\n\n- one\n- two\n\nThe end of ${at}.`,
        ),
  );

import { randomUUID } from 'node:crypto';
import type { BusyBehavior } from '@chatd/protocol';
import { afterAll } from 'vitest';
import type { Fence } from '../../../server/src/chat/fence.ts';
import type { NewChat } from '../../../server/src/chat/new-chat.ts';
import type { ChatRow, MessageRow, QueuedRow, StoredPart } from '../../../server/src/chat/row.ts';
import type { NewMessage, NewQueued } from '../../../server/src/chat/writes.ts';
import type { Change, LocalChange } from '../../../server/src/store/change.ts';
import type { Database } from '../../../server/src/store/database.ts';
import { CHAT_COLUMNS } from '../../../server/src/store/queries/chats/columns.ts';
import { MESSAGE_COLUMNS } from '../../../server/src/store/queries/messages/columns.ts';
import { readQueue } from '../../../server/src/store/queries/queued-messages.ts';
import { onlyRow, statement } from '../../../server/src/store/statement.ts';
import { Store } from '../../../server/src/store/store.ts';
import type { Transaction } from '../../../server/src/store/transaction.ts';
import { uuidv7 } from '../../../server/src/store/uuid.ts';
import { createTestDatabase } from './database.ts';

export const DEMO_MODEL = '00000000-0000-7000-8000-000000000002';
export const LEASE_MS = 30_000;

export const text = (value: string): StoredPart[] => [{ type: 'text', text: value }];
/** A requested chat, without its ids. */
export const NEW_CHAT = {
  title: 'Test',
  title_source: 'user' as const,
  content: text('first'),
  model_config_id: DEMO_MODEL,
  reasoning_effort: null,
  system_prompt: null,
  labels: {},
  plan_mode: false,
  dynamic_tools: [],
  mcp_server_ids: null,
  workspace_id: null,
};
export const says = (value: string): NewMessage => ({ role: 'assistant', content: text(value) });
export const calls = (...ids: string[]): NewMessage => ({
  role: 'assistant',
  content: ids.map((id) => ({
    type: 'tool-call',
    tool_call_id: id,
    tool_name: 'add',
    args: { a: 1, b: 2 },
  })),
});
export const results = (...ids: string[]): NewMessage => ({
  role: 'tool',
  content: ids.map((id) => ({
    type: 'tool-result',
    tool_call_id: id,
    tool_name: 'add',
    result: 3,
  })),
});

export const insertUser = statement<{ id: string; username: string }, never>(
  'test-insert-user',
  `INSERT INTO users (id, username, role) VALUES (:id, :username, 'member')`,
);
export const readChat = statement<{ id: string }, ChatRow>(
  'test-read-chat',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE id = :id`,
);
export const readHistory = statement<{ chat_id: string }, MessageRow>(
  'test-read-history',
  `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE chat_id = :chat_id ORDER BY id`,
);

/** A store on its own database, with an owner and shortcuts for common operations of tests. */
export class TestStore extends Store {
  readonly url: string;
  readonly owner = randomUUID();
  readonly worker = randomUUID();
  readonly changes: Change[];
  /** Called on every local change, like the listeners of a server. */
  readonly listeners = new Set<(change: LocalChange) => void>();

  static async open(
    url?: string,
    atEnd: (close: () => Promise<void>) => void = afterAll,
    database?: Database,
  ): Promise<TestStore> {
    const store = new TestStore(url ?? (await createTestDatabase()).url, database);
    atEnd(() => store.close());
    await store.database.query(insertUser, {
      id: store.owner,
      username: `user-${store.owner}`,
    });
    return store;
  }

  private constructor(url: string, database: Database | undefined) {
    const changes: Change[] = [];
    super({
      url,
      ...(database && { database }),
      publish: (change) => {
        changes.push(change);
        for (const listener of this.listeners) listener(change);
      },
    });
    this.url = url;
    this.changes = changes;
  }

  async create(over: Partial<NewChat> = {}, outer?: Transaction): Promise<ChatRow> {
    const create = (tx: Transaction) =>
      this.creation.create(
        {
          ...NEW_CHAT,
          id: uuidv7(),
          owner_id: this.owner,
          mcp_server_ids: [],
          parent: null,
          ...over,
        },
        tx,
      );
    return await (outer === undefined ? this.database.transaction(create) : create(outer));
  }

  message(value: string, busy_behavior: BusyBehavior = 'queue'): NewQueued {
    return {
      busy_behavior,
      content: text(value),
      model_config_id: null,
      reasoning_effort: null,
      created_by: this.owner,
    };
  }

  /** Acquires one chat, like a worker. Releases other chats that were acquired with it. */
  async take(chatId: string): Promise<Fence> {
    for (;;) {
      const acquired = await this.runner.acquire(this.worker, 1000, LEASE_MS);
      await this.runner.heartbeat(this.worker);
      let fence: Fence | undefined;
      for (const { id, runner_id, history_version } of acquired) {
        if (runner_id === null) throw new Error('acquired without a runner');
        if (id === chatId) fence = { runner_id, history_version };
        else await this.runner.release(id, runner_id);
      }
      if (fence !== undefined) return fence;
      const { runner_id, history_version } = await this.read(chatId);
      if (runner_id !== null) return { runner_id, history_version };
    }
  }

  async read(chatId: string): Promise<ChatRow> {
    return onlyRow(await this.database.query(readChat, { id: chatId }));
  }

  history(chatId: string): Promise<MessageRow[]> {
    return this.database.query(readHistory, { chat_id: chatId });
  }

  queue(chatId: string): Promise<QueuedRow[]> {
    return this.database.query(readQueue, { chat_id: chatId });
  }

  /** The history, one line per message. */
  async story(chatId: string): Promise<string[]> {
    return (await this.history(chatId)).map(line);
  }
}

export const line = ({ role, content }: MessageRow): string =>
  `${role}: ${content.map(brief).join(' ')}`;

function brief(part: StoredPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'tool-call':
      return `call(${part.tool_call_id})`;
    case 'tool-result':
      return `${part.is_error === true ? 'error' : 'result'}(${part.tool_call_id})`;
    case 'reasoning':
    case 'source':
    case 'file':
    case 'file-reference':
      return part.type;
  }
}

import type { StoredPart } from '../../packages/server/src/chat/row.ts';

export interface StoredChat {
  readonly id: string;
  readonly status: string;
  readonly worker_id: string | null;
  readonly parent_chat_id: string | null;
  readonly last_error: unknown;
}

export interface StoredMessage {
  readonly chat_id: string;
  readonly id: number;
  readonly role: string;
  readonly hidden: boolean;
  readonly content: readonly StoredPart[];
  readonly revision: number;
  /** The attempt that wrote it. Null: a client did. */
  readonly base_version: number | null;
  readonly attempt: number | null;
  readonly runner_id: string | null;
  /** Time of the commit to the history in milliseconds, by the clock of the database. */
  readonly at: number;
}

/** A change of a chat's row. `old_*` are null for a new chat. */
export interface Move {
  readonly chat_id: string;
  readonly old_runner: string | null;
  readonly old_status: string | null;
  readonly status: string;
  readonly old_version: number | null;
  readonly version: number;
  readonly old_history: number | null;
  readonly history: number;
}

/** The chats to read. Undefined: all. */
export type ChatIds = readonly string[] | undefined;

/** What a database holds, and the changes that led there, oldest first. */
export interface Records {
  chats(ids: ChatIds): Promise<StoredChat[]>;
  messages(ids: ChatIds): Promise<StoredMessage[]>;
  moves(ids: ChatIds): Promise<Move[]>;
}

/** The text of a user message. */
export function firstText({ content }: Pick<StoredMessage, 'content'>): string {
  const [part] = content;
  return part?.type === 'text' ? part.text : '';
}

/** The results of tool calls, with the chat of each. */
export const toolResults = (messages: readonly StoredMessage[]) =>
  messages.flatMap(({ chat_id, content }) =>
    content.flatMap((part) => (part.type === 'tool-result' ? [{ ...part, chat_id }] : [])),
  );

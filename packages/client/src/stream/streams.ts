import type { ChatEvent, WatchEvent } from '@chatd/protocol';
import type { Connection } from '../connection.ts';
import { ChatdProblem } from '../problem.ts';
import { urlOf } from '../request.ts';
import { ROUTES } from '../routes.ts';
import type { StreamOptions } from './connection-state.ts';
import { reconnecting } from './reconnecting.ts';

/** What a chat's stream says. Pings are for the line, and stay there. */
export type StreamedEvent = Exclude<ChatEvent, { readonly type: 'ping' }>;

/** What is said of all chats; after every break there is a new snapshot. */
export type WatchedEvent = Exclude<WatchEvent, { readonly type: 'ping' }>;

/** Where the stream of a chat begins, and how it is followed. */
export interface ChatStreamOptions extends StreamOptions {
  /** The cursor of the last event that you have; without one the whole chat comes first. */
  readonly after?: string | undefined;
  /** Without a cursor: begin after this message. */
  readonly afterId?: number | undefined;
  /** Begin with so many of the newest messages instead of all, also after an edit. */
  readonly tail?: number | undefined;
}

/** Whose chats are watched, and how. */
export interface WatchOptions extends StreamOptions {
  /** As an admin: the chats of all users. */
  readonly all?: boolean | undefined;
}

export async function* chatStream(
  connection: Connection,
  chatId: string,
  options: ChatStreamOptions = {},
): AsyncGenerator<StreamedEvent, void, undefined> {
  const { afterId: after_id, tail } = options;
  const urlAfter = (after: string | undefined) =>
    urlOf(connection.url, ROUTES.streamChat, {
      params: { chat_id: chatId },
      query: { after, after_id, tail },
    });
  for await (const { data } of reconnecting(connection, { ...options, urlAfter })) {
    const event = parsed(data) as ChatEvent;
    if (event.type !== 'ping') yield event;
  }
}

export async function* watchStream(
  connection: Connection,
  { all, ...options }: WatchOptions = {},
): AsyncGenerator<WatchedEvent, void, undefined> {
  const urlAfter = () => urlOf(connection.url, ROUTES.watchChats, { query: { all } });
  for await (const { data } of reconnecting(connection, { ...options, urlAfter })) {
    const event = parsed(data) as WatchEvent;
    if (event.type !== 'ping') yield event;
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    const title = 'The stream is not one of chatd';
    const detail = `The stream holds an event that is not JSON: ${data.slice(0, 200)}`;
    throw new ChatdProblem({ status: 200, code: 'unexpected_answer', title, detail });
  }
}

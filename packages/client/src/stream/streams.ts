import type { ChatEvent, TurnEvent, WatchEvent } from '@chatd/protocol';
import type { Connection } from '../connection.ts';
import { ChatdProblem } from '../problem.ts';
import { type AnyInput, urlOf } from '../request.ts';
import { ROUTES } from '../route-table.ts';
import type { RouteRow } from '../routes.ts';
import type { StreamOptions } from './connection-state.ts';
import { reconnecting } from './reconnecting.ts';

/** Event in the stream of a chat, without pings. */
export type StreamedEvent = Exclude<ChatEvent, { readonly type: 'ping' }>;

/** Event about all chats, without pings. Every reconnect starts with a new snapshot. */
export type WatchedEvent = Exclude<WatchEvent, { readonly type: 'ping' }>;

/** Start position and options of a chat stream. */
export interface ChatStreamOptions extends StreamOptions {
  /** Cursor of the last event you have. Default: start with the whole chat. */
  readonly after?: string | undefined;
  /** Without a cursor: start after this message. */
  readonly afterId?: number | undefined;
  /** Start with this many of the newest messages instead of all, also after an edit. */
  readonly tail?: number | undefined;
}

/** Options of `watch`. */
export interface WatchOptions extends StreamOptions {
  /** Includes the chats of all users, for admins. */
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

/** Makes a call and streams its turn, starting with the response. Continues past the end of the response. */
export async function* turnStream(
  connection: Connection,
  row: RouteRow,
  input: AnyInput,
  options: StreamOptions,
): AsyncGenerator<StreamedEvent | Exclude<TurnEvent, ChatEvent>, void, undefined> {
  let chat_id: string | undefined;
  const url = urlOf(connection.url, row, input);
  const posted = { url, body: input.body, idempotencyKey: connection.newKey() };
  const urlAfter = (after: string | undefined) =>
    urlOf(connection.url, ROUTES.streamChat, { params: { chat_id }, query: { after } });
  for await (const { data } of reconnecting(connection, { ...options, posted, urlAfter })) {
    const event = parsed(data) as TurnEvent;
    chat_id = event.chat_id;
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
    const title = 'Unexpected response';
    const detail = `The stream contains an event that is not JSON: ${data.slice(0, 200)}`;
    throw new ChatdProblem({ status: 200, code: 'unexpected_answer', title, detail });
  }
}

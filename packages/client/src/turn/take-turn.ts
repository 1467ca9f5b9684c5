import type { Chat } from '@chatd/protocol';
import type { BodyOf, CallAnswer } from '../call.ts';
import type { Connection } from '../connection.ts';
import { perform } from '../perform.ts';
import { ROUTES } from '../route-table.ts';
import type { StreamOptions } from '../stream/connection-state.ts';
import { chatStream } from '../stream/streams.ts';
import { FollowedTurn, type Turn } from './turn.ts';

/** Number of newest messages in which the start of a queued message's turn is searched. */
const TAIL = 200;

export function takeTurn(
  connection: Connection,
  chatId: string,
  body: BodyOf<'sendMessage'>,
  options: StreamOptions = {},
): Turn {
  const begin = async () => {
    const { signal } = options;
    const params = { chat_id: chatId };
    const sent = (await perform(connection, ROUTES.sendMessage, {
      params,
      body,
      signal,
    })) as CallAnswer<'sendMessage'>;
    const from = sent.queued ? { tail: TAIL } : { afterId: sent.message.id };
    return {
      chatId,
      events: chatStream(connection, chatId, { ...options, ...from }),
      queuedId: sent.queued ? sent.queued_message.id : undefined,
    };
  };
  return new FollowedTurn(begin());
}

export async function beginChat(
  connection: Connection,
  body: BodyOf<'createChat'>,
  options: StreamOptions = {},
): Promise<{ readonly chat: Chat; readonly turn: Turn }> {
  const { signal } = options;
  const chat = (await perform(connection, ROUTES.createChat, { body, signal })) as Chat;
  const events = chatStream(connection, chat.id, options);
  return {
    chat,
    turn: new FollowedTurn(Promise.resolve({ chatId: chat.id, events, queuedId: undefined })),
  };
}

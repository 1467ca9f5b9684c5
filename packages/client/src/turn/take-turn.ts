import type { BodyOf, CallAnswer } from '../call.ts';
import type { Connection } from '../connection.ts';
import type { AnyInput } from '../request.ts';
import { ROUTES } from '../route-table.ts';
import type { StreamOptions } from '../stream/connection-state.ts';
import { type StreamedEvent, turnStream } from '../stream/streams.ts';
import { FollowedTurn, type Turn } from './turn.ts';

export function takeTurn(
  connection: Connection,
  chatId: string,
  body: BodyOf<'sendMessage'>,
  options: StreamOptions = {},
): Turn {
  const begin = async () => {
    const input = { params: { chat_id: chatId }, body };
    const { response, events } = await start(connection, 'sendMessage', input, options);
    const queuedId = response.queued ? response.queued_message.id : undefined;
    return { chatId, events, queuedId };
  };
  return new FollowedTurn(begin());
}

export async function beginChat(
  connection: Connection,
  body: BodyOf<'createChat'>,
  options: StreamOptions = {},
): Promise<{ readonly chat: CallAnswer<'createChat'>; readonly turn: Turn }> {
  const { response: chat, events } = await start(connection, 'createChat', { body }, options);
  const turn = new FollowedTurn(Promise.resolve({ chatId: chat.id, events, queuedId: undefined }));
  return { chat, turn };
}

/** Makes the call. Its turn is in the same response. */
async function start<Name extends 'createChat' | 'sendMessage'>(
  connection: Connection,
  name: Name,
  input: AnyInput,
  options: StreamOptions,
): Promise<{
  readonly response: CallAnswer<Name>;
  readonly events: AsyncGenerator<StreamedEvent, void, undefined>;
}> {
  const events = turnStream(connection, ROUTES[name], input, options);
  const { value: first } = await events.next();
  if (first?.type !== 'response') {
    options.signal?.throwIfAborted();
    throw new Error('The stream does not start with a response.');
  }
  // The response comes once.
  return {
    response: first.body as CallAnswer<Name>,
    events: events as AsyncGenerator<StreamedEvent, void, undefined>,
  };
}

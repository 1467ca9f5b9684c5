import type { ChatEvent } from '@chatd/protocol';
import { EventFrame } from './event-frame.ts';
import type { PlannedEvent } from './plan-events.ts';
import { encodeStreamCursor, type StreamCursor } from './stream-cursor.ts';

/** Events of a chat, each with the cursor of a client that has received it. */
export const encodeEvents = (chatId: string, events: readonly PlannedEvent[]): EventFrame =>
  new EventFrame(
    () =>
      events.map(({ event, position }) => {
        const cursor = encodeStreamCursor(chatId, position);
        const { type, ...payload } = event;
        const whole = { type, chat_id: chatId, cursor, ...payload } as ChatEvent;
        return { cursor, json: JSON.stringify(whole) };
      }),
    events.map(({ event }) => event),
  );

/** The first event of a streamed response. `body` is JSON. */
export function responseFrame(chatId: string, position: StreamCursor, body: string): EventFrame {
  return new EventFrame(() => {
    const cursor = encodeStreamCursor(chatId, position);
    const head = JSON.stringify({ type: 'response', chat_id: chatId, cursor });
    return [{ cursor, json: `${head.slice(0, -1)},"body":${body}}` }];
  });
}

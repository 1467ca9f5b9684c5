import type { ChatEvent } from '@chatd/protocol';
import { Frame } from './frame.ts';
import type { PlannedEvent } from './plan-events.ts';
import { encodePosition } from './position.ts';

/** Events of a chat as they go out, each with the cursor of whoever has it. */
export const encodeEvents = (chatId: string, events: readonly PlannedEvent[]): Frame =>
  new Frame(
    events.map(({ event, position }) => {
      const cursor = encodePosition(chatId, position);
      const { type, ...payload } = event;
      const whole = { type, chat_id: chatId, cursor, ...payload } as ChatEvent;
      return { cursor, json: JSON.stringify(whole) };
    }),
  );

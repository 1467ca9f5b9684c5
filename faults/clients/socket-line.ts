import type { ChatEvent } from '@chatd/protocol';
import type { EventLine, LineOptions } from './event-line.ts';

/** One connection to the stream of a chat, by WebSocket. */
export function openSocketLine(options: LineOptions): EventLine {
  const { promise: ended, resolve } = Promise.withResolvers<{ refused?: number }>();
  const after = options.cursor === undefined ? '' : `?after=${encodeURIComponent(options.cursor)}`;
  const address = `${options.url}/api/v1/chats/${options.chatId}/stream${after}`;
  const socket = new WebSocket(address.replace(/^http/, 'ws'), { headers: options.headers });
  let dropped = false;
  socket.addEventListener('message', ({ data }) => {
    // What comes in the same packet as the last event that was wanted was not seen either.
    if (!dropped) options.onEvent(JSON.parse(String(data)) as ChatEvent);
  });
  // Why it was refused is not told: whoever never gets anything is noticed in the end.
  socket.addEventListener('error', () => resolve({}));
  socket.addEventListener('close', () => resolve({}));
  return {
    ended,
    pause: () => undefined,
    resume: () => undefined,
    drop() {
      dropped = true;
      socket.close();
      resolve({});
    },
  };
}

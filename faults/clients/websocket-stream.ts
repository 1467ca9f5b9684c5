import type { ChatEvent } from '@chatd/protocol';
import type { StreamConnection, StreamOptions } from './sse-stream.ts';

/** A WebSocket connection to the stream of a chat. */
export function openWebSocketStream(options: StreamOptions): StreamConnection {
  const { promise: ended, resolve } = Promise.withResolvers<{ refused?: number }>();
  const after = options.cursor === undefined ? '' : `?after=${encodeURIComponent(options.cursor)}`;
  const address = `${options.url}/api/v1/chats/${options.chatId}/stream${after}`;
  const socket = new WebSocket(address.replace(/^http/, 'ws'), { headers: options.headers });
  let dropped = false;
  socket.addEventListener('message', ({ data }) => {
    // The same packet can contain events after the last wanted one.
    if (!dropped) options.onEvent(JSON.parse(String(data)) as ChatEvent);
  });
  // The WebSocket API does not expose the status of a refusal.
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

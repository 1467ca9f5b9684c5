import { Agent, type IncomingMessage, request } from 'node:http';
import type { ChatEvent } from '@chatd/protocol';

export interface StreamOptions {
  readonly url: string;
  readonly chatId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly cursor: string | undefined;
  readonly onEvent: (event: ChatEvent) => void;
}

/** A connection to the stream of a chat. */
export interface StreamConnection {
  /** Resolves when the connection ends, with the status if it was refused. */
  readonly ended: Promise<{ refused?: number; problem?: string }>;
  /** Stops reading, so that data accumulates at the server. */
  pause(): void;
  resume(): void;
  /** Closes the connection; later events are ignored. */
  drop(): void;
}

const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

export function openSseStream(options: StreamOptions): StreamConnection {
  const { promise: ended, resolve } = Promise.withResolvers<{
    refused?: number;
    problem?: string;
  }>();
  let response: IncomingMessage | undefined;
  let dropped = false;
  let paused = false;
  const outgoing = request(
    `${options.url}/api/v1/chats/${options.chatId}/stream`,
    {
      agent,
      headers: {
        ...options.headers,
        accept: 'text/event-stream',
        ...(options.cursor !== undefined && { 'last-event-id': options.cursor }),
      },
    },
    (incoming) => {
      response = incoming;
      const { statusCode = 0 } = incoming;
      // Join only complete events: large messages arrive in many pieces.
      let pieces: string[] = [];
      incoming.setEncoding('utf8');
      if (paused) incoming.pause();
      incoming.on('data', (chunk: string) => {
        const isSplit = chunk.startsWith('\n') && pieces.at(-1)?.endsWith('\n') === true;
        pieces.push(chunk);
        if (statusCode !== 200 || !(isSplit || chunk.includes('\n\n'))) return;
        const events = pieces.join('').split('\n\n');
        pieces = [events.pop() ?? ''];
        for (const event of events) {
          const parsed = parse(event);
          // The same packet can contain events after the last wanted one.
          if (parsed !== undefined && !dropped) options.onEvent(parsed);
        }
      });
      const finish = () =>
        resolve(statusCode === 200 ? {} : { refused: statusCode, problem: pieces.join('') });
      incoming.on('end', finish);
      incoming.on('close', finish);
      incoming.on('error', finish);
    },
  );
  outgoing.on('error', () => resolve({}));
  outgoing.on('close', () => resolve({}));
  outgoing.end();
  return {
    ended,
    pause() {
      paused = true;
      response?.pause();
    },
    resume() {
      paused = false;
      response?.resume();
    },
    drop() {
      dropped = true;
      outgoing.destroy();
      resolve({});
    },
  };
}

function parse(block: string): ChatEvent | undefined {
  const data = block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n');
  return data === '' ? undefined : (JSON.parse(data) as ChatEvent);
}

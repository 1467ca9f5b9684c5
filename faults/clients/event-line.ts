import { Agent, type IncomingMessage, request } from 'node:http';
import type { ChatEvent } from '@chatd/protocol';

export interface LineOptions {
  readonly url: string;
  readonly chatId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly cursor: string | undefined;
  readonly onEvent: (event: ChatEvent) => void;
}

/** One connection to the stream of a chat. */
export interface EventLine {
  /** Resolves when it is over, with the status when it was refused. */
  readonly ended: Promise<{ refused?: number; problem?: string }>;
  /** Stops reading, so that the server's writes pile up. */
  pause(): void;
  resume(): void;
  /** Vanishes without a word. */
  drop(): void;
}

/** No connection is used twice: a viewer that leaves takes its connection along. */
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

export function openLine(options: LineOptions): EventLine {
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
      // Joined only when an event is whole: messages of megabytes come in many pieces.
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
          // What comes in the same packet as the last event that was wanted was not seen either.
          if (parsed !== undefined && !dropped) options.onEvent(parsed);
        }
      });
      const over = () =>
        resolve(statusCode === 200 ? {} : { refused: statusCode, problem: pieces.join('') });
      incoming.on('end', over);
      incoming.on('close', over);
      incoming.on('error', over);
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

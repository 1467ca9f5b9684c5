import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { API_PREFIX } from '@chatd/protocol';
import { WebSocket } from 'ws';
import type { ApiClient } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';

/** What a client receives over a stream, in either protocol. */
export class Received {
  readonly events: { type?: string; [field: string]: unknown }[] = [];
  comments = 0;
  ids: string[] = [];
  /** Set when the stream has ended. */
  end: { code?: number } | undefined;

  until(done: (received: this) => boolean): Promise<void> {
    return eventually(() => {
      if (!done(this)) {
        throw new Error(
          `got ${JSON.stringify(this.events.slice(-5))}, ${JSON.stringify(this.end)}`,
        );
      }
    });
  }

  ended(): Promise<void> {
    return this.until(({ end }) => end !== undefined);
  }
}

export interface Connection {
  readonly received: Received;
  close(): void;
}

export interface StreamOptions {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with POST. */
  readonly body?: unknown;
}

/** Server-Sent Events, read with fetch as our SDK does. */
export async function eventStream(
  client: ApiClient,
  path: string,
  { query = '', headers = {}, body }: StreamOptions = {},
): Promise<Connection & { readonly response: Response }> {
  const abort = new AbortController();
  const response = await fetch(`${client.url}${API_PREFIX}${path}${query}`, {
    headers: {
      accept: 'text/event-stream',
      ...client.headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    signal: abort.signal,
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const received = new Received();
  void read(response, received).finally(() => (received.end = {}));
  return { response, received, close: () => abort.abort() };
}

async function read({ body }: Response, received: Received): Promise<void> {
  if (body === null) return;
  let text = '';
  try {
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(block, received);
    }
  } catch {
    // The test or the server closed the stream.
  }
}

function take(block: string, received: Received): void {
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) received.comments += 1;
    else if (line.startsWith('id: ')) received.ids.push(line.slice(4));
    else if (line.startsWith('data: ')) {
      received.events.push(JSON.parse(line.slice(6)) as Received['events'][number]);
    } else throw new Error(`this is no line of an event stream: ${line}`);
  }
}

export async function webSocket(
  client: ApiClient,
  path: string,
  { query = '', headers = {} }: StreamOptions = {},
): Promise<Connection> {
  const url = `${client.url.replace('http', 'ws')}${API_PREFIX}${path}${query}`;
  const socket = new WebSocket(url, { headers: { ...client.headers, ...headers } });
  const received = new Received();
  socket.on('message', (data: Buffer) =>
    received.events.push(JSON.parse(data.toString('utf8')) as Received['events'][number]),
  );
  socket.on('ping', () => (received.comments += 1));
  socket.on('close', (code) => (received.end = { code }));
  await once(socket, 'open');
  return { received, close: () => socket.terminate() };
}

/** The HTTP response to a refused WebSocket handshake. */
export async function refusedUpgrade(
  client: ApiClient,
  path: string,
  { query = '', headers = {} }: StreamOptions = {},
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  const url = `${client.url.replace('http', 'ws')}${API_PREFIX}${path}${query}`;
  const socket = new WebSocket(url, { headers: { ...client.headers, ...headers } });
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

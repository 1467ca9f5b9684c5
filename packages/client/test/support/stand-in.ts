import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface StandIn {
  readonly url: string;
  readonly arrived: Arrived[];
}

/** A server with responses that a real one cannot produce on demand. The last handler repeats. */
export async function standIn(
  ...handlers: ((response: ServerResponse, request: IncomingMessage) => void)[]
): Promise<StandIn> {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      arrived.push({ method, path, headers, body });
      const handler = handlers[Math.min(arrived.length, handlers.length) - 1];
      handler?.(response, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

export const problem =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
    response.end(JSON.stringify({ type: 'about:blank', title: 'T', status, detail: 'D', code }));
  };

export const reset = (_: ServerResponse, { socket }: IncomingMessage): void => {
  socket.resetAndDestroy();
};

export const cutBody = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"chats": [');
  response.destroy();
};

export const events =
  (text: string, ends: boolean) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
    if (ends) response.end();
  };

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll } from 'vitest';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The status that was returned. Null: the connection was closed. */
  readonly status: number | null;
}

export interface Receiver {
  readonly url: string;
  readonly requests: Received[];
  /** The response status by request index. Null closes the connection. Default: 204. */
  answer: (index: number) => number | null;
}

/** A fake webhook receiver and push service. */
export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = { url: '', requests: [], answer: () => 204 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const status = receiver.answer(receiver.requests.length);
      receiver.requests.push({ headers: request.headers, body: Buffer.concat(chunks), status });
      if (status === null) request.socket.destroy();
      else response.writeHead(status, { location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, { url: `http://127.0.0.1:${port}/hook?from=chatd` });
}

/** Verifies a request with the official library. Throws if the signature is wrong. */
export const verified = (secret: string, { body, headers }: Received): VerifiedEvent =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as VerifiedEvent;

export interface VerifiedEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeProvider, startFakeProvider } from '@chatd/testing';
import { afterAll } from 'vitest';

export interface OfferingProvider {
  readonly url: string;
  /** Answers model calls. */
  readonly provider: FakeProvider;
  /** The keys of requests for the list of models. */
  readonly keys: (string | undefined)[];
}

/** A provider that lists its models for requests with the right key. */
export async function startOfferingProvider(key: string): Promise<OfferingProvider> {
  const provider = await startFakeProvider({ api: 'anthropic', key });
  const keys: (string | undefined)[] = [];
  const behind = new URL(provider.url);
  const server = createServer((incoming, response) => {
    if (incoming.method === 'GET') {
      const given = headerOf(incoming, 'x-api-key');
      keys.push(given);
      const right = given === key;
      const body = right
        ? { data: MODELS }
        : { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } };
      response.writeHead(right ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
      return;
    }
    const passed = ask(
      {
        hostname: behind.hostname,
        port: behind.port,
        path: incoming.url,
        method: incoming.method,
        headers: incoming.headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await provider.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${behind.pathname}`, provider, keys };
}

const MODELS = [
  { id: 'claude-haiku-4-5', display_name: 'Claude Haiku 4.5', max_input_tokens: 200_000 },
  { id: 'house-model-1', display_name: 'House model', max_input_tokens: 64_000, max_tokens: 8000 },
];

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface ModelServer {
  readonly url: string;
  readonly port: number;
  readonly requests: IncomingMessage[];
  /** Answers later requests. Can be replaced. */
  answer: (request: IncomingMessage) => ScriptedResponse;
}

/** A scripted server for what the fake providers do not support: lists of models and malicious responses. */
export async function startModelServer(
  answer: (request: IncomingMessage) => ScriptedResponse = () => ({ body: { data: [] } }),
): Promise<ModelServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    request.on('end', () => {
      const { status = 200, headers = {}, body } = self.answer(request);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const self: ModelServer = { url: `http://127.0.0.1:${port}/v1`, port, requests, answer };
  return self;
}

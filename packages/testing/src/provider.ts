import type { Api } from './api.ts';
import type { CapturedRequest } from './capture.ts';
import type { Remembered } from './issued.ts';
import type { Ended } from './perform.ts';
import type { Refusal } from './refusal.ts';
import type { Rejected } from './respond.ts';
import type { Scripted } from './reply.ts';
import type { Decide } from './script.ts';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { readRequest } from './capture.ts';
import { createExchange } from './exchange.ts';
import { perform } from './perform.ts';

export interface FakeProviderOptions {
  api: Api;
  /** The only accepted key. Default: any key, but not none. */
  key?: string;
  /** Rejects requests that the real service would reject. Default: true. */
  strict?: boolean;
  /** Keeps received requests for tests. Default: true; disable it for long runs. */
  keepRequests?: boolean;
  now?: () => number;
}

export interface FakeProvider extends AsyncDisposable {
  readonly api: Api;
  /** The base URL for the AI SDK package of that family. */
  readonly url: string;
  /** Queues responses, served in order, one per request. */
  answer(...scripted: Scripted[]): void;
  /** Decides the response if nothing is queued. */
  answerWith(decide: Decide): void;
  /** Received requests, in order. */
  readonly requests: readonly CapturedRequest[];
  /** How the client ended each response; one promise per request. */
  readonly closed: readonly Promise<Ended>[];
  /**
   * Rejects every matching request, with status 400 in the API's error format. For reasons that the rules of the fake
   * provider do not cover. The API's own rules take precedence.
   */
  refuseWhen(
    matches: (request: CapturedRequest) => boolean,
    message: string,
    more?: Partial<Omit<Refusal, 'message'>>,
  ): void;
  /** Rejected requests with the reason: invalid, unauthorized or not scripted. */
  readonly rejected: readonly Rejected[];
  /** Queued responses that were not requested yet. */
  readonly left: number;
  /** The request with this index, starting at 0, as soon as it arrives. */
  request(index: number): Promise<CapturedRequest>;
  /** Makes the provider accept values that it did not issue. */
  remember(values: Remembered): void;
  close(): Promise<void>;
}

/** Starts a server for the given API on a free port of 127.0.0.1. */
export async function startFakeProvider(options: FakeProviderOptions): Promise<FakeProvider> {
  const { dialect, controls, serve } = createExchange(options);
  const server = createServer((incoming, response) => {
    readRequest(incoming)
      .then((request) => serve(request, (reply, onEvent) => perform(reply, response, onEvent)))
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');

  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return Object.assign(controls, {
    url: `http://127.0.0.1:${address.port}${dialect.basePath}`,
    close,
    [Symbol.asyncDispose]: close,
  });
}

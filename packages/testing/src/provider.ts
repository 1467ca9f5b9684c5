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
  /** The only key that is accepted; any key unless told, but never none. */
  key?: string;
  /** Refuse what the real service would refuse. On unless told. */
  strict?: boolean;
  /** Keep what arrived, for tests to look at. On unless told; off where it serves for hours. */
  keepRequests?: boolean;
  now?: () => number;
}

export interface FakeProvider extends AsyncDisposable {
  readonly api: Api;
  /** The base URL, as the AI SDK's package of that family takes it. */
  readonly url: string;
  /** Queues answers, served in order, one a request. */
  answer(...scripted: Scripted[]): void;
  /** Decides what to answer when nothing is queued. */
  answerWith(decide: Decide): void;
  /** What arrived, in order. */
  readonly requests: readonly CapturedRequest[];
  /** How the client ended each response; one promise a request. */
  readonly closed: readonly Promise<Ended>[];
  /**
   * Refuses every request that matches, with status 400 in the API's own error shape. For reasons that no rule of
   * the fake provider covers: the client cannot know them. The API's own rules come first.
   */
  refuseWhen(
    matches: (request: CapturedRequest) => boolean,
    message: string,
    more?: Partial<Omit<Refusal, 'message'>>,
  ): void;
  /** Requests that were refused, and why: invalid, unauthorized or not scripted. */
  readonly rejected: readonly Rejected[];
  /** Queued answers that nobody has asked for yet. */
  readonly left: number;
  /** The request with this index (from 0), as soon as it has arrived. */
  request(index: number): Promise<CapturedRequest>;
  /** Makes the provider accept values that it did not hand out itself. */
  remember(values: Remembered): void;
  close(): Promise<void>;
}

/** Starts a server on a free port of 127.0.0.1 that speaks the given API. */
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

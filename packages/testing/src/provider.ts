import type { Api } from './api.ts';
import type { CapturedRequest } from './capture.ts';
import type { Remembered } from './issued.ts';
import type { JsonObject } from './json.ts';
import type { Ended } from './perform.ts';
import type { Rejected } from './respond.ts';
import type { Scripted } from './reply.ts';
import type { Decide } from './script.ts';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { readRequest } from './capture.ts';
import { dialects } from './dialects.ts';
import { countingIds } from './ids.ts';
import { nothingIssued, remember } from './issued.ts';
import { perform } from './perform.ts';
import { respond } from './respond.ts';
import { createScript } from './script.ts';

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
  /** Requests that were refused, and why: invalid, unauthorised or not scripted. */
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
  const { api, key, strict = true, keepRequests = true, now = Date.now } = options;
  const dialect = dialects[api];
  const script = createScript(dialect);
  const issued = nothingIssued();
  const ids = countingIds();
  const requests: CapturedRequest[] = [];
  let arrived = 0;
  const rejected: Rejected[] = [];
  const awaited = new Map<number, PromiseWithResolvers<CapturedRequest>>();

  const server = createServer((incoming, response) => {
    const ended = Promise.withResolvers<Ended>();
    const handle = async (): Promise<Ended> => {
      const read = await readRequest(incoming);
      const request = { ...read, index: arrived, at: now(), ended: ended.promise };
      arrived += 1;
      if (keepRequests) requests.push(request);
      awaited.get(request.index)?.resolve(request);
      const reply = await respond(request, { dialect, script, issued, ids, key, strict, rejected });
      const sent: JsonObject[] = [];
      return perform(reply, response, (event) => {
        sent.push(event);
        dialect.learn(sent, issued);
      });
    };
    handle().then(ended.resolve, (error: unknown) => {
      response.destroy();
      ended.reject(error);
    });
    // The client sees that its connection is gone; who wants to know why awaits `ended`.
    ended.promise.catch(() => {});
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

  return {
    api,
    url: `http://127.0.0.1:${address.port}${dialect.basePath}`,
    answer: (...scripted) => script.add(scripted),
    answerWith: (decide) => script.decideWith(decide),
    requests,
    rejected,
    get closed() {
      return requests.map(({ ended }) => ended);
    },
    get left() {
      return script.left;
    },
    async request(index) {
      const known = requests[index];
      if (known) return known;
      const waiting = awaited.get(index) ?? Promise.withResolvers<CapturedRequest>();
      awaited.set(index, waiting);
      return waiting.promise;
    },
    remember: (values) => remember(issued, values),
    close,
    [Symbol.asyncDispose]: close,
  };
}

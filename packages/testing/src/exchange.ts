import type { CapturedRequest } from './capture.ts';
import type { Dialect, WireRequest } from './dialect.ts';
import type { JsonObject } from './json.ts';
import type { Ended } from './perform.ts';
import type { FakeProvider, FakeProviderOptions } from './provider.ts';
import type { Reply } from './reply.ts';
import type { CustomRule, Rejected } from './respond.ts';
import { dialects } from './dialects.ts';
import { countingIds } from './ids.ts';
import { nothingIssued, remember } from './issued.ts';
import { respond } from './respond.ts';
import { createScript } from './script.ts';

/** Delivers a reply to the client. `onEvent` must be called for each event before the client can see it. */
export type Deliver = (reply: Reply, onEvent: (event: JsonObject) => void) => Promise<Ended>;

/** A fake provider without its transport. */
export interface Exchange {
  readonly dialect: Dialect;
  /** The API for tests, regardless of the transport. */
  readonly controls: Omit<FakeProvider, 'url' | 'close' | typeof Symbol.asyncDispose>;
  /** Captures the request, decides the reply and delivers it. Rejects if the delivery fails. */
  readonly serve: (incoming: WireRequest, deliver: Deliver) => Promise<Ended>;
}

export function createExchange(options: FakeProviderOptions): Exchange {
  const { api, key, strict = true, keepRequests = true, now = Date.now } = options;
  const dialect = dialects[api];
  const script = createScript(dialect);
  const issued = nothingIssued();
  const ids = countingIds();
  const requests: CapturedRequest[] = [];
  const rejected: Rejected[] = [];
  const customRules: CustomRule[] = [];
  const awaited = new Map<number, PromiseWithResolvers<CapturedRequest>>();
  const state = { dialect, script, issued, ids, key, strict, rejected, customRules };
  let arrived = 0;

  const serve: Exchange['serve'] = async (incoming, deliver) => {
    const ended = Promise.withResolvers<Ended>();
    // The client sees a lost connection; a test that needs the reason awaits `ended`.
    ended.promise.catch(() => {});
    const request = { ...incoming, index: arrived, at: now(), ended: ended.promise };
    arrived += 1;
    if (keepRequests) requests.push(request);
    awaited.get(request.index)?.resolve(request);
    try {
      const sent: JsonObject[] = [];
      const end = await deliver(await respond(request, state), (event) => {
        sent.push(event);
        dialect.learn(sent, issued);
      });
      ended.resolve(end);
      return end;
    } catch (error) {
      ended.reject(error);
      throw error;
    }
  };

  const controls: Exchange['controls'] = {
    api,
    answer: (...scripted) => script.add(scripted),
    answerWith: (decide) => script.decideWith(decide),
    refuseWhen: (matches, message, more = {}) => {
      customRules.push({ matches, refusal: { status: 400, message, ...more } });
    },
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
  };
  return { dialect, controls, serve };
}

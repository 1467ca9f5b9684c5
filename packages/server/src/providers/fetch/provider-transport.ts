import { type FailedResponse, ProviderError, type Transport } from '@chatd/loop';
import type { Dispatcher } from 'undici';
import { BODY_LIMIT, bodyTooLong, redirected, refusalIn } from './refusals.ts';

/** Some gateways refuse requests without it. */
const USER_AGENT = 'chatd';

/**
 * Sends model calls through the same agent as `providerFetch`, without a stream between the socket and the reader.
 * Reading stops while the reader asks for it.
 */
export function providerTransport(dispatcher: Dispatcher): Transport {
  return ({ url, headers, body, signal }, opened, take) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) throw signal.reason;
      const { origin, pathname, search } = new URL(url);
      let request: Dispatcher.DispatchController | undefined;
      let failed: FailedBody | undefined;
      let canPause = false;
      const fail = (error: unknown) => {
        signal?.removeEventListener('abort', stop);
        reject(error);
        request?.abort(error instanceof Error ? error : new Error('canceled'));
      };
      const stop = () => fail(signal?.reason);
      signal?.addEventListener('abort', stop, { once: true });
      /** An error of the reader ends the request. */
      const guarded = (work: () => void) => {
        try {
          work();
        } catch (error) {
          fail(error);
        }
      };
      dispatcher.dispatch(
        {
          origin,
          path: pathname + search,
          method: 'POST',
          headers: { 'user-agent': USER_AGENT, ...headers },
          body,
        },
        {
          onRequestStart(controller) {
            request = controller;
            if (signal?.aborted === true) stop();
          },
          onResponseStart(_, status, received) {
            if (status < 200) return;
            canPause = outlivesResponse(received);
            if (status < 300) guarded(() => opened(plain(received)));
            else if (status < 400) fail(redirected(status));
            else failed = new FailedBody(status, plain(received));
          },
          onResponseData(controller, chunk) {
            // After a pause, the parser reports an empty chunk.
            if (chunk.length === 0) return;
            guarded(() => {
              if (failed !== undefined) return failed.add(chunk);
              const pause = take(chunk);
              if (pause === undefined) return;
              if (!canPause) return void pause.catch(fail);
              controller.pause();
              pause.then(() => controller.resume(), fail);
            });
          },
          onResponseEnd() {
            signal?.removeEventListener('abort', stop);
            resolve(failed?.response());
          },
          onResponseError(_, error) {
            fail(refusalIn(error) ?? asFetchError(error, request !== undefined));
          },
        },
      );
    });
}

/**
 * Whether the connection stays open after the response. Otherwise its end arrives during a pause, which crashes the
 * parser of undici 7 (issue 5360); such responses are limited only by their size.
 */
const outlivesResponse = (headers: NodeJS.Dict<string | string[]>): boolean =>
  headers['transfer-encoding'] !== undefined &&
  !/close/i.test([headers['connection'] ?? ''].flat().join());

const asFetchError = (cause: Error, isOpen: boolean) =>
  cause instanceof ProviderError
    ? cause
    : new TypeError(isOpen ? 'terminated' : 'fetch failed', { cause });

const plain = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]),
  );

class FailedBody {
  readonly #status: number;
  readonly #headers: Record<string, string>;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(status: number, headers: Record<string, string>) {
    this.#status = status;
    this.#headers = headers;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > BODY_LIMIT) throw bodyTooLong();
    this.#chunks.push(chunk);
  }

  response(): FailedResponse {
    const body = Buffer.concat(this.#chunks).toString();
    return { status: this.#status, statusText: '', headers: this.#headers, body };
  }
}

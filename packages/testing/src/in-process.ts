import type { WireRequest } from './dialect.ts';
import type { FakeProvider, FakeProviderOptions } from './provider.ts';
import { wireRequest } from './capture.ts';
import { connectionError, inProcessResponse } from './deliver.ts';
import { createExchange } from './exchange.ts';

/** A host that does not resolve, so that a client without the provider's `fetch` fails. */
const ORIGIN = 'http://fake-provider.invalid';

export interface InProcessProvider extends FakeProvider {
  /** Replaces the global `fetch` in one client. It serves every host. */
  readonly fetch: typeof globalThis.fetch;
}

/**
 * A fake provider without a server: its `fetch` validates, responds and encodes like the server of `startFakeProvider`.
 * For tests with many requests. Events without a gate between them arrive in one chunk.
 */
export function inProcessProvider(options: FakeProviderOptions): InProcessProvider {
  const { dialect, controls, serve } = createExchange(options);
  const open = new Set<(reason: unknown) => void>();
  let closed = false;

  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (closed) throw connectionError('fetch failed', 'ECONNREFUSED');
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const request = await readFetch(input, init);
    signal?.throwIfAborted();
    const { response, deliver, disconnect } = inProcessResponse(signal);
    open.add(disconnect);
    serve(request, deliver)
      .catch(disconnect)
      .finally(() => open.delete(disconnect));
    return response;
  };

  const close = async (): Promise<void> => {
    closed = true;
    for (const disconnect of open) disconnect(connectionError('terminated', 'UND_ERR_SOCKET'));
  };
  return Object.assign(controls, {
    url: `${ORIGIN}${dialect.basePath}`,
    fetch,
    close,
    [Symbol.asyncDispose]: close,
  });
}

/** Provider packages pass a URL and a string, so no `Request` is needed. */
async function readFetch(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<WireRequest> {
  const { body, method = 'GET', headers } = init ?? {};
  if (!(input instanceof Request) && typeof body === 'string') {
    return wireRequest(method, input, new Headers(headers), body);
  }
  const request = new Request(input, init);
  return wireRequest(request.method, request.url, request.headers, await request.text());
}

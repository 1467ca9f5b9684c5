import { mergeDeltas, ProviderError } from '@chatd/loop';
import { type Dispatcher, fetch as undiciFetch, type RequestInit as UndiciInit } from 'undici';
import type { Fetch } from '../kinds/kind.ts';
import { UrlNotAllowed } from './url-check.ts';

/** What provider packages call instead of the global one. */
export const providerFetch = (dispatcher: Dispatcher): Fetch => mergeDeltas(plainFetch(dispatcher));

function plainFetch(dispatcher: Dispatcher): Fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : input;
    try {
      // Of the same shape; undici declares its own types.
      const options = { ...init, redirect: 'manual', dispatcher } as UndiciInit;
      const response = (await undiciFetch(url, options)) as unknown as Response;
      if (response.status >= 300 && response.status < 400) throw redirected(response);
      return response;
    } catch (error) {
      throw refusalIn(error) ?? error;
    }
  };
}

/** It could lead anywhere, with the key. */
function redirected({ status, body }: Response): ProviderError {
  void body?.cancel().catch(() => undefined);
  return new ProviderError({
    kind: 'config',
    statusCode: status,
    message: `The provider answered with a redirect (HTTP ${status}), which is not followed. Check its base_url.`,
  });
}

/** What was refused at the connection comes wrapped in errors of the client. */
function refusalIn(error: unknown, depth = 0): ProviderError | undefined {
  if (error instanceof UrlNotAllowed) {
    return new ProviderError({ kind: 'config', message: `Not called: ${error.message}` });
  }
  if (!(error instanceof Error) || depth > 4) return undefined;
  const inner = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return inner.map((one) => refusalIn(one, depth + 1)).find((found) => found !== undefined);
}

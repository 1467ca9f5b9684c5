import { mergedEvents, type Pieces, ProviderError } from '@chatd/loop';
import { type Dispatcher, request } from 'undici';
import type { Fetch } from '../kinds/kind.ts';
import { UrlNotAllowed } from './url-check.ts';

/**
 * The `fetch` for provider packages: the part of the API that they use, at a third of the cost. A step is one request
 * with a text body. Errors have the same shape as those of `fetch`. For streams, packages spend time per event: see
 * `mergeDeltas`.
 */
export function providerFetch(dispatcher: Dispatcher): Fetch {
  return async (input, init = {}) => {
    if (input instanceof Request) throw new TypeError('a provider must be called with a URL');
    const { method = 'GET', headers, body, signal } = init;
    try {
      const answer = await request(input, {
        dispatcher,
        method,
        headers: plainHeaders(headers),
        body: (body ?? null) as string | Uint8Array | null,
        ...(signal && { signal }),
      });
      const response = new Response(streamOf(answer), {
        status: answer.statusCode,
        headers: headersOf(answer.headers),
      });
      if (response.status >= 300 && response.status < 400) throw redirected(response);
      return response;
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal !== undefined) throw refusal;
      if (signal?.aborted === true || error instanceof ProviderError) throw error;
      throw new TypeError('fetch failed', { cause: error });
    }
  };
}

const EMPTY = new Set([101, 204, 205, 304]);

/** Packages pass a plain object. Other header types are converted. */
function plainHeaders(headers: RequestInit['headers']): NodeJS.Dict<string> {
  const isPlain = headers !== undefined && !(Symbol.iterator in headers);
  return isPlain ? headers : Object.fromEntries(new Headers(headers));
}

function streamOf({
  statusCode,
  headers,
  body,
}: Dispatcher.ResponseData): ReadableStream<Uint8Array> | null {
  // Reported to the reader through the iterator.
  body.on('error', () => undefined);
  if (EMPTY.has(statusCode)) {
    body.resume();
    return null;
  }
  const pieces = piecesOf(body);
  const isEvents = statusCode < 300 && String(headers['content-type']).includes(EVENT_STREAM);
  return isEvents ? mergedEvents(pieces) : unchanged(bounded(pieces));
}

const EVENT_STREAM = 'text/event-stream';

/** Provider packages hold the whole body in memory. */
const BODY_LIMIT_MIB = 128;

function bounded(pieces: Pieces): Pieces {
  let received = 0;
  return {
    ...pieces,
    async next() {
      const piece = await pieces.next();
      received += piece?.length ?? 0;
      if (received <= BODY_LIMIT_MIB * 1024 * 1024) return piece;
      const error = new ProviderError({
        kind: 'generic',
        message: `The provider's response exceeded ${BODY_LIMIT_MIB} MiB and was canceled. Check its base_url.`,
      });
      await pieces.cancel(error);
      throw error;
    },
  };
}

function piecesOf(body: Dispatcher.ResponseData['body']): Pieces {
  const iterator = body.iterator({ destroyOnReturn: true }) as AsyncIterator<Uint8Array>;
  return {
    async next() {
      try {
        const { done, value } = await iterator.next();
        return done === true ? undefined : value;
      } catch (error) {
        throw new TypeError('terminated', { cause: error });
      }
    },
    cancel(reason) {
      body.destroy(reason instanceof Error ? reason : undefined);
    },
  };
}

const unchanged = (pieces: Pieces): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await pieces.next();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
      cancel: (reason) => pieces.cancel(reason),
    },
    { highWaterMark: 0 },
  );

const headersOf = (headers: Dispatcher.ResponseData['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one]),
  );

/** A redirect could send the key anywhere. */
function redirected({ status, body }: Response): ProviderError {
  void body?.cancel().catch(() => undefined);
  return new ProviderError({
    kind: 'config',
    statusCode: status,
    message: `The provider responded with a redirect (HTTP ${status}), which is not followed. Check its base_url.`,
  });
}

/** Errors from the connection check are wrapped by the client. */
function refusalIn(error: unknown, depth = 0): ProviderError | undefined {
  if (error instanceof UrlNotAllowed) {
    return new ProviderError({ kind: 'config', message: `Request blocked: ${error.message}` });
  }
  if (!(error instanceof Error) || depth > 4) return undefined;
  const inner = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return inner.map((one) => refusalIn(one, depth + 1)).find((found) => found !== undefined);
}

import { ProviderError } from '@chatd/loop';
import { type Dispatcher, request } from 'undici';
import type { Fetch } from '../kinds/kind.ts';
import { BODY_LIMIT, bodyTooLong, redirected, refusalIn } from './refusals.ts';

/**
 * The `fetch` for provider packages: the part of the API that they use, at a third of the cost. A step is one request
 * with a text body. Errors have the same shape as those of `fetch`.
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
      const { statusCode: status } = answer;
      // Reported to the reader through the iterator.
      answer.body.on('error', () => undefined);
      if (status >= 300 && status < 400) {
        answer.body.destroy();
        throw redirected(status);
      }
      return new Response(streamOf(answer), { status, headers: headersOf(answer.headers) });
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

const EVENT_STREAM = 'text/event-stream';
const LF = 0x0a;

function streamOf({
  statusCode,
  headers,
  body,
}: Dispatcher.ResponseData): ReadableStream<Uint8Array> | null {
  if (EMPTY.has(statusCode)) {
    body.resume();
    return null;
  }
  const iterator = body.iterator({ destroyOnReturn: true }) as AsyncIterator<Uint8Array>;
  const isEvents = statusCode < 300 && String(headers['content-type']).includes(EVENT_STREAM);
  /** Packages hold a whole body in memory, and of an event stream one line. */
  let held = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await next(iterator);
        if (done === true) return controller.close();
        const lineStart = isEvents ? value.lastIndexOf(LF) + 1 : 0;
        held = value.length - lineStart + (lineStart === 0 ? held : 0);
        if (held > BODY_LIMIT) {
          const error = bodyTooLong();
          body.destroy(error);
          throw error;
        }
        controller.enqueue(value);
      },
      cancel(reason) {
        body.destroy(reason instanceof Error ? reason : undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function next(iterator: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  try {
    return await iterator.next();
  } catch (error) {
    throw new TypeError('terminated', { cause: error });
  }
}

const headersOf = (headers: Dispatcher.ResponseData['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one]),
  );

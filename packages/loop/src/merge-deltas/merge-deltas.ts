import { breathe, isLate } from '../breathe.ts';
import { DeltaMerger } from './delta-merger.ts';

type Fetch = typeof globalThis.fetch;

/**
 * A `fetch` for provider packages. What a package spends on a stream it spends per event, so events of
 * one network read that continue the same text are merged before it sees them. The content is the
 * same to the letter; a stream that comes piece by piece passes as it is.
 */
export function mergeDeltas(fetch: Fetch = globalThis.fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body } = response;
    if (body === null || !isEventStream(response)) return response;
    return new Response(merged(body), response);
  };
}

const isEventStream = ({ ok, headers }: Response): boolean =>
  ok && (headers.get('content-type') ?? '').includes('text/event-stream');

function merged(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const merger = new DeltaMerger();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (isLate()) await breathe();
          const text = done
            ? merger.push(decoder.decode()) + merger.end()
            : merger.push(decoder.decode(value, { stream: true }));
          if (text !== '') controller.enqueue(Buffer.from(text));
          if (done) controller.close();
          if (done || text !== '') return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

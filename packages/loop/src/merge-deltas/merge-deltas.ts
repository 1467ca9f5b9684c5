import { yieldToEventLoop, isLate } from '../yield-to-event-loop.ts';
import { DeltaMerger } from './delta-merger.ts';

type Fetch = typeof globalThis.fetch;

/**
 * A `fetch` for provider packages. A package does fixed work per event, so events of one network read that continue the
 * same text are merged first. The content stays identical; a stream that arrives event by event passes unchanged.
 */
export function mergeDeltas(fetch: Fetch = globalThis.fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body } = response;
    if (body === null || !isEventStream(response)) return response;
    const reader = body.getReader();
    const pieces = {
      next: async () => (await reader.read()).value,
      cancel: (reason: unknown) => reader.cancel(reason),
    };
    return new Response(mergedEvents(pieces), response);
  };
}

const isEventStream = ({ ok, headers }: Response): boolean =>
  ok && (headers.get('content-type') ?? '').includes('text/event-stream');

/** A body as it arrives from the network. */
export interface Pieces {
  /** Undefined at the end. */
  next(): Promise<Uint8Array | undefined>;
  cancel(reason: unknown): void | Promise<void>;
}

/** The merged events of a body, for a `fetch` that has the body before there is a `Response`. */
export function mergedEvents(pieces: Pieces): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  const merger = new DeltaMerger();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const piece = await pieces.next();
          if (isLate()) await yieldToEventLoop();
          const done = piece === undefined;
          const text = done
            ? merger.push(decoder.decode()) + merger.end()
            : merger.push(decoder.decode(piece, { stream: true }));
          if (text !== '') controller.enqueue(Buffer.from(text));
          if (done) controller.close();
          if (done || text !== '') return;
        }
      },
      cancel: (reason) => pieces.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

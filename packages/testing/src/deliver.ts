import type { Deliver } from './exchange.ts';
import type { DeliveryStep } from './steps.ts';
import { Buffer } from 'node:buffer';
import { setTimeout } from 'node:timers/promises';

/** One response to a caller of `fetch` in the same process. */
export interface InProcessResponse {
  /** What `fetch` returns. */
  readonly response: Promise<Response>;
  readonly deliver: Deliver;
  /** Ends the response like a lost connection: the client gets the reason, and unread data is dropped. */
  readonly disconnect: (reason: unknown) => void;
}

/** A response that the client can abort by its signal or by canceling the body. */
export function inProcessResponse(signal: AbortSignal | undefined): InProcessResponse {
  const response = Promise.withResolvers<Response>();
  const gone = new AbortController();
  const body = createBody(() => disconnect(new Error('The client canceled the response.')));

  const disconnect = (reason: unknown): void => {
    signal?.removeEventListener('abort', onAbort);
    gone.abort(reason);
    response.reject(reason);
    body.fail(reason);
  };
  const onAbort = (): void => disconnect(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  void body.drained.then(() => signal?.removeEventListener('abort', onAbort));

  const deliver: Deliver = async ({ head, steps }, onEvent) => {
    if (gone.signal.aborted) return 'aborted';
    if (head) response.resolve(new Response(body.stream, head));
    for (const step of steps) {
      if (step.do === 'write') {
        step.events?.forEach(onEvent);
        body.write(step.bytes);
        continue;
      }
      if (step.do === 'reset') {
        disconnect(connectionError(head ? 'terminated' : 'fetch failed', 'ECONNRESET'));
        return 'reset';
      }
      if (step.do === 'end') {
        body.end();
        return 'complete';
      }
      body.flush();
      await pause(step, gone.signal);
      if (gone.signal.aborted) return 'aborted';
    }
    return 'complete';
  };
  return { response: response.promise, deliver, disconnect };
}

/** The error of the global `fetch` when a connection fails. */
export function connectionError(message: 'fetch failed' | 'terminated', code: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(code), { code }) });
}

type Pause = Extract<DeliveryStep, { do: 'hold' | 'wait' | 'hang' }>;

/** Resolves when the step is over or the client is gone. */
async function pause(step: Pause, gone: AbortSignal): Promise<void> {
  if (step.do === 'wait') {
    await setTimeout(step.ms, undefined, { signal: gone }).catch(() => {});
    return;
  }
  const left = new Promise<void>((resolve) => {
    gone.addEventListener('abort', () => resolve(), { once: true });
  });
  if (step.do === 'hang') return left;
  step.gate.arrive();
  await Promise.race([step.gate.released, left]);
}

interface Body {
  readonly stream: ReadableStream<Uint8Array>;
  /** Resolves when the client has read everything. */
  readonly drained: Promise<void>;
  write(bytes: string | Uint8Array): void;
  /** Makes everything written so far readable. */
  flush(): void;
  end(): void;
  fail(reason: unknown): void;
}

/** Joins writes between two flushes into one chunk: streams of many small chunks are slow. */
function createBody(onCancel: () => void): Body {
  const drained = Promise.withResolvers<void>();
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let pending: Buffer[] = [];
  let ended = false;
  const close = (): void => {
    controller.close();
    drained.resolve();
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(own) {
        controller = own;
      },
      // Called when the client wants more data.
      pull() {
        if (ended) close();
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  );
  const flush = (): void => {
    if (pending.length > 0) controller.enqueue(Buffer.concat(pending));
    pending = [];
  };
  return {
    stream,
    drained: drained.promise,
    write: (bytes) => void pending.push(Buffer.from(bytes)),
    flush,
    end() {
      flush();
      ended = true;
      if (controller.desiredSize === 0) close();
    },
    fail: (reason) => controller.error(reason),
  };
}

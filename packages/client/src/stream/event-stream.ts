import { sleep } from '@chatd/protocol/clock';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { authorization, type Connection } from '../connection.ts';
import { ChatdProblem, ChatdUnreachable, problemOf, unexpected } from '../problem.ts';

export interface EventStreamOptions {
  readonly url: string;
  /** Sent as JSON with POST. Without it, the request is a GET. */
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  readonly signal: AbortSignal;
  readonly silenceMs: number;
  readonly onLive: () => void;
}

/**
 * The events of one connection. Returns if the server ends the stream; throws `ChatdUnreachable` if the connection is
 * lost or silent, and `ChatdProblem` on an error response.
 */
export async function* eventStream(
  connection: Connection,
  { url, body: posted, idempotencyKey, signal, silenceMs, onLive }: EventStreamOptions,
): AsyncGenerator<EventSourceMessage> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  const watchdog = new Watchdog(connection, silenceMs, controller);
  try {
    const response = await connection.fetch(url, {
      ...(posted !== undefined && { method: 'POST', body: JSON.stringify(posted) }),
      headers: {
        accept: 'text/event-stream',
        ...(posted !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(await authorization(connection)),
      },
      signal: controller.signal,
    });
    if (response.status === NO_CONTENT) throw new NothingToStream();
    const body = await streamOf(response, connection.clock.now());
    onLive();
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const events: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (event) => events.push(event) });
    for (;;) {
      watchdog.listen();
      const { done, value } = await reader.read();
      if (done) return;
      // The consumer may take its time with an event.
      watchdog.rest();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } catch (error) {
    if (error instanceof ChatdProblem || error instanceof NothingToStream) throw error;
    signal.throwIfAborted();
    throw new ChatdUnreachable(url, watchdog.silence ?? error);
  } finally {
    watchdog.stop();
    signal.removeEventListener('abort', abort);
    // Also when the consumer leaves the loop, so that the server stops sending.
    controller.abort();
  }
}

const NO_CONTENT = 204;

/** The server has nothing to stream (204). */
export class NothingToStream extends Error {
  override readonly name = 'NothingToStream';
}

async function streamOf(response: Response, now: number): Promise<ReadableStream<Uint8Array>> {
  if (!response.ok) throw problemOf(response, await response.text(), now);
  const { body } = response;
  if (body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new ChatdProblem(unexpected(response, await response.text()));
  }
  return body;
}

/** Aborts a connection that is silent for too long. */
class Watchdog {
  readonly #connection: Connection;
  readonly #silenceMs: number;
  readonly #controller: AbortController;
  readonly #stopping = new AbortController();
  #listeningSince: number | undefined;
  /** The reason of the abort, if any. */
  silence: Error | undefined;

  constructor(connection: Connection, silenceMs: number, controller: AbortController) {
    this.#connection = connection;
    this.#silenceMs = silenceMs;
    this.#controller = controller;
    this.listen();
    this.#watch().catch(() => undefined);
  }

  listen(): void {
    this.#listeningSince = this.#connection.clock.now();
  }

  rest(): void {
    this.#listeningSince = undefined;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Uses one timer at a time, instead of one per chunk. */
  async #watch(): Promise<void> {
    const { clock } = this.#connection;
    for (;;) {
      const since = this.#listeningSince ?? clock.now();
      const left = since + this.#silenceMs - clock.now();
      if (left <= 0) break;
      await sleep(clock, left, this.#stopping.signal);
    }
    this.silence = new Error(`no data for ${Math.round(this.#silenceMs / 1000)} seconds`);
    this.#controller.abort(this.silence);
  }
}

import { sleep } from '@chatd/protocol/clock';
import { authorization, type Connection } from '../connection.ts';
import { ChatdProblem, ChatdUnreachable, problemOf, unexpected } from '../problem.ts';
import { type ServerSentEvent, ServerSentEvents } from './server-sent-events.ts';

export interface LineOptions {
  readonly url: string;
  /** Posted as JSON; without it, the line is only asked for. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
  readonly silenceMs: number;
  readonly onLive: () => void;
}

/**
 * One connection, until it ends: quietly where the server ended it, with `ChatdUnreachable` where it broke or nothing
 * came any more, with `ChatdProblem` where there was a refusal.
 */
export async function* line(
  connection: Connection,
  { url, body: posted, signal, silenceMs, onLive }: LineOptions,
): AsyncGenerator<ServerSentEvent> {
  const controller = new AbortController();
  const hangUp = () => controller.abort(signal.reason);
  if (signal.aborted) hangUp();
  signal.addEventListener('abort', hangUp, { once: true });
  const watchdog = new Watchdog(connection, silenceMs, controller);
  try {
    const response = await connection.fetch(url, {
      ...(posted !== undefined && { method: 'POST', body: JSON.stringify(posted) }),
      headers: {
        accept: 'text/event-stream',
        ...(posted !== undefined && { 'content-type': 'application/json' }),
        ...(await authorization(connection)),
      },
      signal: controller.signal,
    });
    if (response.status === NO_CONTENT) throw new NothingToFollow();
    const body = await streamOf(response, connection.clock.now());
    onLive();
    const reader = body.getReader();
    const parser = new ServerSentEvents();
    for (;;) {
      watchdog.listen();
      const { done, value } = await reader.read();
      if (done) return;
      // What the caller does with an event may take its time.
      watchdog.rest();
      yield* parser.push(value);
    }
  } catch (error) {
    if (error instanceof ChatdProblem || error instanceof NothingToFollow) throw error;
    signal.throwIfAborted();
    throw new ChatdUnreachable(url, watchdog.silence ?? error);
  } finally {
    watchdog.stop();
    signal.removeEventListener('abort', hangUp);
    // Also when the loop was left: the server need not go on for nobody.
    controller.abort();
  }
}

const NO_CONTENT = 204;

/** Nothing goes on that could be followed. */
export class NothingToFollow extends Error {
  override readonly name = 'NothingToFollow';
}

async function streamOf(response: Response, now: number): Promise<ReadableStream<Uint8Array>> {
  if (!response.ok) throw problemOf(response, await response.text(), now);
  const { body } = response;
  if (body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new ChatdProblem(unexpected(response, await response.text()));
  }
  return body;
}

/** Hangs up when nothing was heard for too long. */
class Watchdog {
  readonly #connection: Connection;
  readonly #silenceMs: number;
  readonly #controller: AbortController;
  readonly #stopping = new AbortController();
  #listeningSince: number | undefined;
  /** Why it hung up, if it did. */
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

  /** One timer at a time, not one a piece: it looks again when the silence would be over. */
  async #watch(): Promise<void> {
    const { clock } = this.#connection;
    for (;;) {
      const since = this.#listeningSince ?? clock.now();
      const left = since + this.#silenceMs - clock.now();
      if (left <= 0) break;
      await sleep(clock, left, this.#stopping.signal);
    }
    this.silence = new Error(`nothing came for ${Math.round(this.#silenceMs / 1000)} seconds`);
    this.#controller.abort(this.silence);
  }
}

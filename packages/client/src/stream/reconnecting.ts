import { sleep } from '@chatd/protocol/clock';
import type { EventSourceMessage } from 'eventsource-parser';
import { backoffMs } from '../backoff.ts';
import type { Connection } from '../connection.ts';
import { isRetryable } from '../perform.ts';
import { ChatdProblem, ChatdUnreachable } from '../problem.ts';
import type { StreamOptions } from './connection-state.ts';
import { eventStream, NothingToStream } from './event-stream.ts';

const BACKOFF = { firstMs: 1000, capMs: 30_000 };
const SILENCE_MS = 45_000;

/** A connection that lasts this long resets the backoff. */
const STEADY_MS = 5000;

export interface Reconnecting extends StreamOptions {
  /** The URL for a connection, given the ID of the last event. */
  readonly urlAfter: (id: string | undefined) => string;
  readonly after?: string | undefined;
  /**
   * The first request. It may have taken effect even without a response, so it is repeated only with an idempotency key.
   * Its stream may end before the consumer is done; the next connection then continues it.
   */
  readonly posted?:
    | { readonly url: string; readonly body: unknown; readonly idempotencyKey?: string }
    | undefined;
}

/** The events of a stream across reconnects, each exactly once. */
export async function* reconnecting(
  connection: Connection,
  options: Reconnecting,
): AsyncGenerator<EventSourceMessage> {
  const { clock, random } = connection;
  const { retries = Infinity, silenceMs = SILENCE_MS } = options;
  const signal = options.signal ?? new AbortController().signal;
  let last = options.after;
  let { posted } = options;
  let failed = 0;
  while (!signal.aborted) {
    const before = last;
    const request = posted;
    let upAt: number | undefined;
    let reason: Error;
    options.onConnection?.({ state: 'connecting', attempt: failed + 1 });
    try {
      const { url, ...content } = request ?? { url: options.urlAfter(last) };
      const onLive = () => {
        if (posted?.idempotencyKey === undefined) posted = undefined;
        upAt = clock.now();
        options.onConnection?.({ state: 'live' });
      };
      const settings = { ...content, url, signal, silenceMs, onLive };
      for await (const event of eventStream(connection, settings)) {
        posted = undefined;
        if (event.id) last = event.id;
        yield event;
        if (signal.aborted) return;
      }
      if (request !== undefined && last !== before) continue;
      reason = new ChatdUnreachable(url, new Error('the server ended the stream'));
    } catch (error) {
      if (signal.aborted || error instanceof NothingToStream) return;
      if (!isTransient(error) || (posted !== undefined && !isRepeatable(posted, error)))
        throw error;
      reason = error;
    }
    // Any progress resets the backoff, no matter how often the connection breaks.
    if (last !== before || (upAt !== undefined && clock.now() - upAt >= STEADY_MS)) failed = 0;
    failed += 1;
    if (failed > (posted === undefined ? retries : connection.retries)) throw reason;
    const asked = reason instanceof ChatdProblem ? reason.retryAfterMs : undefined;
    const delayMs = asked ?? backoffMs(failed - 1, BACKOFF, random);
    if (posted === undefined) {
      options.onConnection?.({ state: 'waiting', delayMs, attempt: failed, reason });
    }
    await sleep(clock, delayMs, signal).catch(() => undefined);
  }
}

const isRepeatable = (posted: NonNullable<Reconnecting['posted']>, error: unknown) =>
  posted.idempotencyKey !== undefined && isRetryable(error);

const TRANSIENT = new Set([408, 425, 429]);

/** Whether a retry may help. */
function isTransient(error: unknown): error is Error {
  if (error instanceof ChatdUnreachable) return true;
  if (!(error instanceof ChatdProblem)) return false;
  return error.status >= 500 || TRANSIENT.has(error.status);
}

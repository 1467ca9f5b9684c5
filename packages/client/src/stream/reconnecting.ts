import { sleep } from '@chatd/protocol/clock';
import { backoffMs } from '../backoff.ts';
import type { Connection } from '../connection.ts';
import { ChatdProblem, ChatdUnreachable } from '../problem.ts';
import type { StreamOptions } from './connection-state.ts';
import { line, NothingToFollow } from './line.ts';
import type { ServerSentEvent } from './server-sent-events.ts';

const BACKOFF = { firstMs: 1000, capMs: 30_000 };
const SILENCE_MS = 45_000;

/** A line that was up for so long counts as one that works. */
const STEADY_MS = 5000;

export interface Reconnecting extends StreamOptions {
  /** Where to go, from the id of the last event that was yielded. */
  readonly urlAfter: (id: string | undefined) => string;
  readonly after?: string | undefined;
  /** What the first request posts. Whether it arrived is not known when there is no answer, so it is not repeated. */
  readonly posted?: { readonly url: string; readonly body: unknown } | undefined;
}

/**
 * The events of a stream over as many connections as it takes, each once: one that was cut in two is asked for again,
 * one that was yielded is not.
 */
export async function* reconnecting(
  connection: Connection,
  options: Reconnecting,
): AsyncGenerator<ServerSentEvent> {
  const { clock, random } = connection;
  const { retries = Infinity, silenceMs = SILENCE_MS } = options;
  const signal = options.signal ?? new AbortController().signal;
  let last = options.after;
  let { posted } = options;
  let failed = 0;
  while (!signal.aborted) {
    const before = last;
    let upAt: number | undefined;
    let reason: Error;
    options.onConnection?.({ state: 'connecting', attempt: failed + 1 });
    try {
      const { url, body } = posted ?? { url: options.urlAfter(last), body: undefined };
      const onLive = () => {
        posted = undefined;
        upAt = clock.now();
        options.onConnection?.({ state: 'live' });
      };
      for await (const event of line(connection, { url, body, signal, silenceMs, onLive })) {
        if (event.id !== '') last = event.id;
        yield event;
        if (signal.aborted) return;
      }
      reason = new ChatdUnreachable(url, new Error('the server ended the stream'));
    } catch (error) {
      if (signal.aborted || error instanceof NothingToFollow) return;
      if (!isPassing(error) || posted !== undefined) throw error;
      reason = error;
    }
    // Whoever gets on is not in trouble, however often the line breaks.
    if (last !== before || (upAt !== undefined && clock.now() - upAt >= STEADY_MS)) failed = 0;
    failed += 1;
    if (failed > retries) throw reason;
    const asked = reason instanceof ChatdProblem ? reason.retryAfterMs : undefined;
    const delayMs = asked ?? backoffMs(failed - 1, BACKOFF, random);
    options.onConnection?.({ state: 'waiting', delayMs, attempt: failed, reason });
    await sleep(clock, delayMs, signal).catch(() => undefined);
  }
}

const PASSING = new Set([408, 425, 429]);

/** A refusal is final, unless it is about the moment. */
function isPassing(error: unknown): error is Error {
  if (error instanceof ChatdUnreachable) return true;
  if (!(error instanceof ChatdProblem)) return false;
  return error.status >= 500 || PASSING.has(error.status);
}

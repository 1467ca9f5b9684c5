import type { Retry } from '@chatd/protocol';
import { isoTime, sleep } from '../clock.ts';
import { classify } from '../errors/classify.ts';
import type { Failure } from '../errors/failure.ts';
import type { Snapshot } from '../history/history.ts';
import { usedCallIds } from '../history/call-ids.ts';
import type { HistoryMessage } from '../history/message.ts';
import { startsOf } from '../plan-calls.ts';
import { prepareCall } from '../prompt/prepare-call.ts';
import { retryDelay } from '../retry.ts';
import { tellSpent } from '../spent-call.ts';
import type { Turn } from '../turn.ts';
import { attempt } from './attempt.ts';
import { ModelResponse } from './response.ts';
import { accountOf, stepMessage } from './step-message.ts';

export type Generated =
  | { type: 'response'; message: HistoryMessage }
  /** What was said before the interrupt, if anything. */
  | { type: 'interrupted'; message: HistoryMessage | undefined }
  | { type: 'overflow'; failure: Failure }
  | { type: 'failed'; failure: Failure };

/** Gets one response from the model, however many attempts that takes. Commits nothing. */
export async function generate(turn: Turn, { messages }: Snapshot): Promise<Generated> {
  const { clock, history, speaker, signal, limits } = turn;
  const { model } = speaker;
  const started = clock.now();
  let selfContained = false;
  for (;;) {
    const episode = await history.beginAttempt();
    const response = new ModelResponse({
      clock,
      publish: turn.publish,
      names: turn.names,
      usedCallIds: () => usedCallIds(messages),
    });
    try {
      const request = { system: turn.system, messages, chain: !selfContained, selfContained };
      const call = await prepareCall(speaker, request);
      await attempt(model, call, response, { clock, limits, signal });
    } catch (error) {
      if (turn.interrupted()) {
        return { type: 'interrupted', message: await partial(turn, response, started) };
      }
      tellSpent(turn.spent, 'turn', accountOf(response.finish, speaker));
      signal.throwIfAborted();
      const failure = classify(error, { provider: model.provider, clock });
      if (failure.stale_reference === true && !selfContained) {
        selfContained = true;
        turn.publish({ type: 'reset' });
        continue;
      }
      if (failure.context_too_long === true) return { type: 'overflow', failure };
      const delay = retryDelay({
        attempt: episode.attempt,
        maxAttempts: limits.max_attempts,
        error: failure,
      });
      if (delay === 'give-up') return { type: 'failed', failure };
      const retry = retryOf(failure, episode.attempt, delay, clock.now());
      await history.recordRetry(retry);
      turn.publish({ type: 'reset' });
      turn.publish({ type: 'retry', retry });
      try {
        await sleep(clock, delay, signal);
      } catch {
        if (turn.interrupted()) return { type: 'interrupted', message: undefined };
        signal.throwIfAborted();
      }
      continue;
    }
    return { type: 'response', message: await complete(turn, response, started) };
  }
}

/** With the calls that start as soon as it is committed. */
async function complete(
  turn: Turn,
  response: ModelResponse,
  started: number,
): Promise<HistoryMessage> {
  const content = await response.content((file) => turn.files.save(file));
  const runtimeMs = turn.clock.now() - started;
  const message = stepMessage(content, response, turn.speaker, { interrupted: false, runtimeMs });
  // Nothing was decided or begun about calls that nobody has seen yet.
  const starts = startsOf(message, {}, turn.next);
  return starts.length === 0 ? message : { ...message, meta: { ...message.meta, starts } };
}

async function partial(
  turn: Turn,
  response: ModelResponse,
  started: number,
): Promise<HistoryMessage | undefined> {
  const content = await response.content((file) => turn.files.save(file));
  if (content.length === 0) {
    tellSpent(turn.spent, 'turn', accountOf(response.finish, turn.speaker));
    return undefined;
  }
  const runtimeMs = turn.clock.now() - started;
  return stepMessage(content, response, turn.speaker, { interrupted: true, runtimeMs });
}

function retryOf(failure: Failure, attempt: number, delay: number, now: number): Retry {
  return {
    attempt,
    delay_ms: delay,
    retrying_at: isoTime(now + delay),
    kind: failure.kind,
    retryable: failure.retryable,
    provider: failure.provider ?? '',
    error: failure.message,
    ...(failure.status_code !== undefined && { status_code: failure.status_code }),
  };
}

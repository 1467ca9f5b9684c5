import type {
  LanguageModelV4,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { yieldToEventLoop, isLate } from '../yield-to-event-loop.ts';
import type { Clock } from '@chatd/protocol/clock';
import { ProviderError } from '../errors/provider-error.ts';
import { EarlyEnd } from '../errors/early-end.ts';
import { type GuardLimits, guardStream } from '../guards.ts';
import { isToldFinish } from '../providers/finish.ts';
import { isHeard } from '../providers/first-words.ts';
import type { PreparedCall } from '../prompt/prepare-call.ts';
import type { Pace } from '../turn.ts';
import type { ModelResponse } from './response.ts';
import { ResponseSize, type SizeLimits } from './response-size.ts';

interface AttemptContext {
  clock: Clock;
  limits: GuardLimits & SizeLimits;
  pace: Pace;
  signal: AbortSignal;
  /** Limit for the whole attempt. */
  limitMs?: number;
}

/** Number of parts to read before checking for starved timers. */
const PARTS_IN_A_ROW = 16;

/**
 * One model call, from the request to the end of its stream. Resolves when the response is complete; otherwise throws,
 * with the loop's own abort reason first. `response` contains what arrived in either case.
 */
export async function attempt(
  model: LanguageModelV4,
  call: PreparedCall,
  response: ModelResponse,
  { clock, limits, pace, signal, limitMs }: AttemptContext,
): Promise<void> {
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  if (isLate()) await yieldToEventLoop();
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  const guard = guardStream(clock, limits, (reason) => controller.abort(reason));
  const cancelLimit =
    limitMs === undefined
      ? undefined
      : clock.after(limitMs, () => controller.abort(tookTooLong(limitMs)));
  try {
    const { stream } = await open(model, call, controller.signal);
    const size = new ResponseSize(limits);
    const take = (part: LanguageModelV4StreamPart) => {
      if (isHeard(part, model.provider)) guard.heard();
      const bytes = size.add(part);
      response.add(part);
      return pace(bytes);
    };
    await readAll(stream, response, take, controller.signal);
  } catch (error) {
    // A canceled stream raises arbitrary errors, which are not why it ended.
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    guard.release();
    cancelLimit?.();
    signal.removeEventListener('abort', stop);
  }
  checkComplete(response, model.provider);
}

const tookTooLong = (ms: number) =>
  new ProviderError({
    kind: 'timeout',
    message: `The model took longer than ${Math.round(ms / 1000)} seconds and was stopped.`,
  });

/** Some providers keep this pending after a 200 until the first event, and may ignore the signal. */
async function open(
  model: LanguageModelV4,
  call: PreparedCall,
  signal: AbortSignal,
): Promise<LanguageModelV4StreamResult> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const opening = Promise.resolve(model.doStream({ ...call, abortSignal: signal }));
  try {
    return await Promise.race([opening, stopped.promise]);
  } catch (error) {
    // The stream may still arrive; release it.
    opening.then(({ stream }) => stream.cancel(error)).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function readAll(
  stream: LanguageModelV4StreamResult['stream'],
  response: ModelResponse,
  take: (part: LanguageModelV4StreamPart) => Promise<void> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const reader = stream.getReader();
  // Canceling ends a pending read, even if the provider ignores the signal.
  const stop = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (let count = 1; ; count++) {
      const { done, value } = await reader.read();
      if (done) break;
      const pause = take(value);
      if (response.error !== undefined) break;
      if (pause !== undefined) await pause;
      if (count % PARTS_IN_A_ROW === 0 && isLate()) await yieldToEventLoop();
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
  signal.throwIfAborted();
}

function checkComplete({ finish, error }: ModelResponse, provider: string): void {
  if (error !== undefined) throw error.cause;
  if (finish === undefined || !isToldFinish(finish.reason, provider)) throw new EarlyEnd();
  if (finish.reason.unified !== 'error') return;
  throw new ProviderError({
    kind: 'generic',
    retryable: true,
    message: `The provider aborted its response (${finish.reason.raw?.slice(0, 80)}). Try again.`,
  });
}

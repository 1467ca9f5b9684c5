import { yieldToEventLoop, isLate } from '../yield-to-event-loop.ts';
import type { Clock } from '@chatd/protocol/clock';
import { ProviderError } from '../errors/provider-error.ts';
import { EarlyEnd } from '../errors/early-end.ts';
import { type GuardLimits, guardStream } from '../guards.ts';
import { isToldFinish } from '../providers/finish.ts';
import { isHeard } from '../providers/first-words.ts';
import type { PreparedCall } from '../prompt/prepare-call.ts';
import type { PushModel, Sink } from '../push-model.ts';
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

/**
 * One model call, from the request to the end of its stream. Resolves when the response is complete; otherwise throws,
 * with the loop's own abort reason first. `response` contains what arrived in either case.
 */
export async function attempt(
  model: PushModel,
  call: PreparedCall,
  response: ModelResponse,
  { clock, limits, pace, signal, limitMs }: AttemptContext,
): Promise<void> {
  const controller = new AbortController();
  const stopped = Promise.withResolvers<never>();
  const abort = (reason: unknown) => {
    controller.abort(reason);
    stopped.reject(reason);
  };
  const stop = () => abort(signal.reason);
  if (isLate()) await yieldToEventLoop();
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  const guard = guardStream(clock, limits, abort);
  const cancelLimit =
    limitMs === undefined ? undefined : clock.after(limitMs, () => abort(tookTooLong(limitMs)));
  const size = new ResponseSize(limits);
  const sink: Sink = (part) => {
    if (controller.signal.aborted) throw controller.signal.reason;
    if (isHeard(part, model.provider)) guard.heard();
    const bytes = size.add(part);
    response.add(part);
    if (response.error !== undefined) throw response.error.cause;
    return pace(bytes);
  };
  try {
    const pushing = model.push({ ...call, abortSignal: controller.signal }, sink);
    // Some providers ignore the signal.
    await Promise.race([pushing, stopped.promise]);
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

function checkComplete({ finish }: ModelResponse, provider: string): void {
  if (finish === undefined || !isToldFinish(finish.reason, provider)) throw new EarlyEnd();
  if (finish.reason.unified !== 'error') return;
  throw new ProviderError({
    kind: 'generic',
    retryable: true,
    message: `The provider aborted its response (${finish.reason.raw?.slice(0, 80)}). Try again.`,
  });
}

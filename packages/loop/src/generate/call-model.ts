import type { Retry } from '@chatd/protocol';
import { sleep } from '@chatd/protocol/clock';
import { isoTime } from '../iso-time.ts';
import { classify } from '../errors/classify.ts';
import type { Failure } from '../errors/failure.ts';
import { leftOut } from '../prompt/fidelity.ts';
import { type CallRequest, prepareCall } from '../prompt/prepare-call.ts';
import { promptView } from '../prompt/view.ts';
import type { PreparedModel } from '../prepared-model.ts';
import { retryDelay } from '../retry.ts';
import { type SpentCall, tellSpent } from '../spent-call.ts';
import type { Turn } from '../turn.ts';
import { attempt } from './attempt.ts';
import type { ModelResponse } from './response.ts';
import { accountOf } from './step-message.ts';

interface ModelCall {
  purpose: SpentCall['purpose'];
  prepared: PreparedModel;
  request: CallRequest;
  /** Called when an attempt starts, with the response it fills. */
  begin(): ModelResponse;
  /** Timeout of one attempt. */
  limitMs?: number;
}

export type Called =
  | { type: 'complete'; response: ModelResponse }
  /** Contains the output before the interrupt, if any. */
  | { type: 'interrupted'; response?: ModelResponse }
  | { type: 'failed'; failure: Failure };

/**
 * Calls the model until it responds. Retries transient errors with a delay, and a rejected history with a lower
 * fidelity. Rejects with the reason of a signal that is not an interrupt.
 */
export async function callModel(turn: Turn, call: ModelCall): Promise<Called> {
  const { clock, history, limits, pace, signal } = turn;
  const { prepared, purpose, request, limitMs } = call;
  /** Why the history was rejected the first time. Later rejections are about the reduced history. */
  let refused: Failure | undefined;
  for (;;) {
    const { attempt: number } = await history.beginAttempt();
    const response = call.begin();
    // An error while loading a file is not the provider's: it ends the run.
    const options = await prepareCall(prepared, request);
    const warnings = [
      ...prepared.missingIn(options.tools),
      ...lessThanFull(prepared, request, refused),
    ];
    for (const warning of warnings) turn.warn(warning);
    let failure: Failure;
    try {
      const context = { clock, limits, pace, signal, ...(limitMs !== undefined && { limitMs }) };
      await attempt(prepared.model, options, response, context);
      return { type: 'complete', response };
    } catch (error) {
      if (turn.interrupted()) return { type: 'interrupted', response };
      tellSpent(turn.spent, purpose, accountOf(response.finish, prepared));
      signal.throwIfAborted();
      const { model, settings } = prepared;
      const { provider_name: providerName } = settings;
      failure = classify(error, { provider: model.provider, providerName, clock });
    }
    if (failure.history_refused === true && prepared.lowerFidelity(request.messages)) {
      refused ??= failure;
      turn.publish({ type: 'reset' });
      continue;
    }
    const delay = retryDelay({ attempt: number, maxAttempts: limits.max_attempts, error: failure });
    if (delay === 'give-up') {
      return { type: 'failed', failure: failure.history_refused ? (refused ?? failure) : failure };
    }
    const retry = retryOf(failure, number, delay, clock.now());
    await history.recordRetry(retry);
    turn.publish({ type: 'reset' });
    turn.publish({ type: 'retry', retry });
    try {
      await sleep(clock, delay, signal);
    } catch {
      if (turn.interrupted()) return { type: 'interrupted' };
      signal.throwIfAborted();
    }
  }
}

function lessThanFull(
  { conversion: { fidelity } }: PreparedModel,
  { messages }: CallRequest,
  refused: Failure | undefined,
): string[] {
  if (fidelity === 'full') return [];
  const reason = refused === undefined ? '' : ` (${refused.detail ?? refused.message})`;
  const items = leftOut(fidelity, promptView(messages)).join(', ') || 'nothing';
  return [
    `The provider rejected the history${reason}. Sent as ${fidelity} instead. Omitted or changed: ${items}.`,
  ];
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

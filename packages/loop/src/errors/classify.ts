import type { Clock } from '@chatd/protocol/clock';
import { GuardTimeout } from '../guards.ts';
import type { Failure } from './failure.ts';
import { detailOf, messageFor } from './message.ts';
import { ProviderError } from './provider-error.ts';
import { retryAfterMs } from './retry-after.ts';
import { ruleFor } from './rule-for.ts';
import type { Rule } from './rules.ts';
import { readSignals, type Signals } from './signals.ts';

export interface ClassifyContext {
  provider: string;
  /** Display name of the provider, if it has one. */
  providerName?: string | undefined;
  clock: Pick<Clock, 'now'>;
  /** The signal of the attempt. If the loop aborted it, its reason takes precedence. */
  signal?: AbortSignal;
}

/** Classifies any error of a model call. */
export function classify(error: unknown, given: ClassifyContext): Failure {
  // A model calls itself `anthropic.messages`; users know the provider's name.
  const provider = given.providerName ?? given.provider.split('.')[0] ?? given.provider;
  const context = { ...given, provider };
  const own = ownFailure(error, context);
  if (own !== undefined) return own;
  const signals = readSignals(error);
  const rule = ruleFor(signals);
  const { cause, kind, retryable } = rule;
  const asked = retryable ? retryAfterMs(signals, context.clock) : undefined;
  const detail = detailOf(rule, signals);
  return {
    kind,
    retryable,
    provider: context.provider,
    message: messageFor(kind, context.provider, signals.status),
    ...(signals.status !== undefined && { status_code: signals.status }),
    ...(asked !== undefined && { retry_after_ms: asked }),
    ...(detail !== undefined && { detail }),
    ...(cause === 'context_length' && { context_too_long: true }),
    ...(isHistoryRefused(rule, signals) && { history_refused: true }),
  };
}

/** A 404 that does not name an item is a wrong URL. */
const isHistoryRefused = ({ cause }: Rule, { status }: Signals): boolean =>
  cause === 'stale_item' ||
  (cause === 'bad_request' && (status === undefined || [400, 422, 500].includes(status)));

/** Errors that the loop raised itself, or that are already classified. */
function ownFailure(error: unknown, { provider, signal }: ClassifyContext): Failure | undefined {
  const reason: unknown = signal?.aborted === true ? signal.reason : error;
  if (reason instanceof GuardTimeout) {
    return {
      kind: reason.kind,
      retryable: true,
      provider,
      message: messageFor(reason.kind, provider, undefined),
    };
  }
  if (!(error instanceof ProviderError)) return undefined;
  return {
    kind: error.kind,
    retryable: error.retryable,
    provider,
    message: error.message,
    ...(error.statusCode !== undefined && { status_code: error.statusCode }),
    ...(error.retryAfterMs !== undefined && { retry_after_ms: error.retryAfterMs }),
  };
}

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
  /** What people call the provider, if they have a name for it. */
  providerName?: string | undefined;
  clock: Pick<Clock, 'now'>;
  /** The signal of the attempt: its reason, when it is ours, comes before everything. */
  signal?: AbortSignal;
}

/** Turns any error of a model call into a decision. */
export function classify(error: unknown, given: ClassifyContext): Failure {
  // `anthropic.messages` is how a model calls itself; people know the provider.
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

/** 404 without the name of an item is a wrong URL. */
const isHistoryRefused = ({ cause }: Rule, { status }: Signals): boolean =>
  cause === 'stale_item' ||
  (cause === 'bad_request' && (status === undefined || [400, 422, 500].includes(status)));

/** What we did ourselves, or were told outright. */
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

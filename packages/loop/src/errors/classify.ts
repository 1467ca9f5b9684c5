import type { ErrorKind } from '@chatd/protocol';
import type { Clock } from '../clock.ts';
import { GuardTimeout } from '../guards.ts';
import type { Failure } from './failure.ts';
import { detailOf, messageFor } from './message.ts';
import { ProviderError } from './provider-error.ts';
import { retryAfterMs } from './retry-after.ts';
import { readSignals, type Signals } from './signals.ts';

export interface ClassifyContext {
  provider: string;
  clock: Pick<Clock, 'now'>;
  /** The signal of the attempt: its reason, when it is ours, comes before everything. */
  signal?: AbortSignal;
}

interface Rule {
  kind: ErrorKind;
  retryable: boolean | ((signals: Signals) => boolean);
  matches(signals: Signals): boolean;
}

const CONTEXT_TOO_LONG =
  /context[ _](?:length|window)|context_length_exceeded|maximum context|prompt is too long|input is too long|too many (?:input )?tokens|(?:input )?token count .{0,40}exceeds|exceeds? the (?:maximum|max) (?:number of )?(?:input )?tokens|request_too_large|reduce the length/;
const STALE_REFERENCE =
  /previous_response_not_found|previous response .{0,120}not found|item with id .{0,120}not found|invalid_encrypted_content|encrypted content .{0,120}could not be|invalid `?(?:signature|encrypted_content|data)`? in `?\w+`? block|corrupted thought signature/;
const NO_MODEL =
  /model_not_found|unknown model|model .{0,80}(?:not found|does not exist|is not supported|not available)|no such model/;
const QUOTA = /quota|billing|payment|credit balance|insufficient[_ ](?:funds|credits)/;
const BAD_KEY =
  /invalid[_ ]api[_ ]key|incorrect api key|api key not valid|api_key_invalid|invalid x-api-key|authentication_error|unauthenticated|permission_denied/;
const REFUSED =
  /content[_ ]filter|content[_ ]policy|content management policy|prohibited_content|safety system|responsible ai|flagged (?:as|for)|violat\w* (?:our|the) usage polic/;
const BROKEN_LINE =
  /econnreset|econnrefused|econnaborted|etimedout|enotfound|eai_again|epipe|socket hang up|other side closed|und_err|fetch failed|cannot connect to api|terminated|premature close|early eof|unexpected eof|unexpected end|goaway|network error|connection (?:error|reset|closed)|timed? ?out|ai_jsonparseerror|ai_emptyresponsebodyerror|ai_invalidresponsedataerror|event-stream frame|checksum/;

const status =
  (...codes: number[]) =>
  (s: Signals) =>
    codes.includes(s.status ?? 0);

/** First match wins. */
const RULES: readonly Rule[] = [
  { kind: 'missing_key', retryable: false, matches: (s) => s.isMissingKey },
  {
    kind: 'overloaded',
    retryable: true,
    matches: (s) => s.status === 529 || s.text.includes('overloaded'),
  },
  {
    kind: 'usage_limit',
    retryable: false,
    // Per-minute limits also speak of quotas, and come with 429.
    matches: (s) =>
      s.text.includes('insufficient_quota') ||
      (s.status !== 429 && (s.status === 402 || QUOTA.test(s.text))),
  },
  {
    kind: 'auth',
    retryable: false,
    // A gateway that refuses what was written says 403, too.
    matches: (s) =>
      s.status === 401 || (s.status === 403 && !REFUSED.test(s.text)) || BAD_KEY.test(s.text),
  },
  {
    kind: 'rate_limit',
    retryable: true,
    matches: (s) => s.status === 429 || /rate[_ ]limit|resource_exhausted/.test(s.text),
  },
  {
    kind: 'timeout',
    retryable: true,
    matches: (s) =>
      status(408, 502, 503, 504)(s) || (s.status === undefined && BROKEN_LINE.test(s.text)),
  },
  {
    kind: 'config',
    retryable: false,
    matches: (s) => below500(s) && (CONTEXT_TOO_LONG.test(s.text) || NO_MODEL.test(s.text)),
  },
  { kind: 'content_filter', retryable: false, matches: (s) => below500(s) && REFUSED.test(s.text) },
  {
    kind: 'config',
    retryable: false,
    matches: (s) =>
      status(400, 404, 405, 413, 415, 422)(s) ||
      (s.status === undefined &&
        /invalid_request|invalid_argument|bad request|ai_unsupportedfunctionality|ai_invalidprompt|ai_nosuchmodel/.test(
          s.text,
        )),
  },
  {
    kind: 'generic',
    retryable: (s) =>
      // 424: the model behind a gateway failed.
      (s.status ?? 0) >= 500 ||
      s.status === 424 ||
      /server_error|internal error|api_error|failed_dependency/.test(s.text),
    matches: () => true,
  },
];

const isHistoryRefused = (s: Signals): boolean =>
  STALE_REFERENCE.test(s.text) ||
  (status(400, 422)(s) && !CONTEXT_TOO_LONG.test(s.text) && !NO_MODEL.test(s.text));

const below500 = (s: Signals) => (s.status ?? 400) < 500;

/** Turns any error of a model call into a decision. */
export function classify(error: unknown, given: ClassifyContext): Failure {
  // `anthropic.messages` is how a model calls itself; people know the provider.
  const context = { ...given, provider: given.provider.split('.')[0] ?? given.provider };
  const own = ownFailure(error, context);
  if (own !== undefined) return own;
  const signals = readSignals(error);
  const rule = RULES.find((r) => r.matches(signals));
  const kind = rule?.kind ?? 'generic';
  const retryable =
    typeof rule?.retryable === 'function' ? rule.retryable(signals) : (rule?.retryable ?? false);
  const asked = retryable ? retryAfterMs(signals.headers, signals.text, context.clock) : undefined;
  const detail = detailOf(kind, error);
  return {
    kind,
    retryable,
    provider: context.provider,
    message: messageFor(kind, context.provider, signals.status),
    ...(signals.status !== undefined && { status_code: signals.status }),
    ...(asked !== undefined && { retry_after_ms: asked }),
    ...(detail !== undefined && { detail }),
    ...(kind === 'config' && CONTEXT_TOO_LONG.test(signals.text) && { context_too_long: true }),
    ...(kind === 'config' && isHistoryRefused(signals) && { history_refused: true }),
  };
}

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

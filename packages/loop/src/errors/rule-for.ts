import { lengthProblemOf } from './length-problem.ts';
import { phraseOf } from './phrase.ts';
import { type Rule, RULES } from './rules.ts';
import type { Signals } from './signals.ts';

const GENERIC: Rule = { cause: 'generic', kind: 'generic', retryable: false };
const TRANSIENT: Rule = { ...GENERIC, retryable: true };
const OUTPUT_LIMIT: Rule = { cause: 'output_limit', kind: 'config', retryable: false };
const CONTEXT_LENGTH: Rule = { cause: 'context_length', kind: 'context_length', retryable: false };

/** The most specific field first: lengths, codes, the provider's message, then the status. */
export function ruleFor(signals: Signals): Rule {
  const phrases = signals.messages.map(phraseOf);
  return (
    lengthRule(signals, phrases) ??
    RULES.find((rule) => hasCode(rule, signals)) ??
    RULES.find((rule) => isSaid(rule, signals, phrases)) ??
    RULES.find((rule) => hasStatus(rule, signals)) ??
    (isTransient(signals, phrases) ? TRANSIENT : GENERIC)
  );
}

const LENGTH_STATUSES = new Set([400, 413, 422, 429, 500]);
const LENGTH_CODES = [
  'context_length_exceeded',
  'exceed_context_size_error',
  'contextwindowexceedederror',
  'tokens_limit_reached',
  'request_too_large',
];
const OUTPUT_PARAMETERS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

function lengthRule(signals: Signals, phrases: readonly string[]): Rule | undefined {
  const { status, codes, parameters } = signals;
  if (status !== undefined && !LENGTH_STATUSES.has(status)) return undefined;
  const problem = phrases.map(lengthProblemOf).find((found) => found !== undefined);
  if (problem !== undefined) return problem === 'output' ? OUTPUT_LIMIT : CONTEXT_LENGTH;
  if (hasAny(codes, LENGTH_CODES)) return CONTEXT_LENGTH;
  if (hasAny(parameters, OUTPUT_PARAMETERS)) return OUTPUT_LIMIT;
  return status === 413 ? CONTEXT_LENGTH : undefined;
}

const hasAny = (found: ReadonlySet<string>, wanted: readonly string[] = []): boolean =>
  wanted.some((one) => found.has(one));

const hasCode = (rule: Rule, { status, codes, localCodes }: Signals): boolean =>
  hasAny(codes, rule.codes) || (status === undefined && hasAny(localCodes, rule.localCodes));

function isSaid(rule: Rule, signals: Signals, phrases: readonly string[]): boolean {
  const { says, localSays } = rule;
  const status = apparentStatus(signals);
  if (says !== undefined && (status === undefined || says.at.includes(status))) {
    if (phrases.some((phrase) => says.pattern.test(phrase))) return true;
  }
  if (localSays === undefined || signals.status !== undefined) return false;
  const local = [...signals.localCodes, ...signals.localMessages];
  return local.some((text) => localSays.test(text.toLowerCase()));
}

const BAD_REQUEST_CODES = RULES.find(({ cause }) => cause === 'bad_request')?.generalCodes;

/** An error without a status, or with one that an SDK invented, may still be about a bad request. */
function apparentStatus({ status, codes }: Signals): number | undefined {
  const isVague = status === undefined || status === 500;
  return isVague && hasAny(codes, BAD_REQUEST_CODES) ? 400 : status;
}

const hasStatus = (rule: Rule, { status, codes }: Signals): boolean =>
  (status !== undefined && rule.statuses?.includes(status) === true) ||
  hasAny(codes, rule.generalCodes);

const TRANSIENT_CODES = [
  'server_error',
  'api_error',
  'internal',
  'internal_error',
  'internal_server_error',
  'internalserverexception',
  'internalservererror',
  'failed_dependency',
  'modelerrorexception',
  'modelstreamerrorexception',
];

/** 424: the model behind a gateway failed. */
const isTransient = ({ status, codes }: Signals, phrases: readonly string[]): boolean =>
  (status ?? 0) >= 500 ||
  status === 424 ||
  hasAny(codes, TRANSIENT_CODES) ||
  (status === undefined && phrases.some((phrase) => /\binternal (?:server )?error\b/.test(phrase)));

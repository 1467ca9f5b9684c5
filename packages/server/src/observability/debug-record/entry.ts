import { APICallError, type LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { DebugEntry, Json } from '@chatd/protocol';
import type { SecretValues } from '../../secrets/secret-values.ts';
import type { AnswerParts } from '../answer-parts.ts';
import { redactedCopy } from '../redacted-copy.ts';
import type { CallEnd, ModelCall } from '../observer.ts';
import { tokenCounts } from '../token-counts.ts';

const PROMPT = { text: 16_000, total: 128_000 };
const TOOLS = { text: 8_000, total: 64_000 };
const SETTINGS = { text: 4_000, total: 32_000 };
const ANSWER = { text: 64_000, total: 96_000 };
const SAID = 4_000;

export type NewDebugEntry = Omit<DebugEntry, 'id' | 'chat_id' | 'created_at'>;

/** A model call for the debug record. Slow for long prompts, so it is not done during a turn. */
export function entryOf(
  call: ModelCall,
  answer: AnswerParts,
  end: CallEnd,
  secrets: SecretValues,
): NewDebugEntry {
  return {
    purpose: call.purpose,
    model_config_id: call.configId,
    provider: call.provider,
    model: call.model,
    attempt: call.attempt,
    outcome: end.how,
    ...(end.how === 'stopped' && { stopped: end.why }),
    request: requestOf(call, secrets),
    response: responseOf(answer, end, secrets),
    ...warningsOf(call, end, secrets),
    ...(end.usage && { usage: usageOf(end.usage) }),
    ...(end.finish && { finish_reason: finishOf(end.finish, secrets) }),
    ...(end.how === 'failed' && { error: errorOf(end, secrets) }),
    ...(end.firstTokenMs !== undefined && { first_token_ms: Math.round(end.firstTokenMs) }),
    duration_ms: Math.round(end.durationMs),
  };
}

function requestOf({ options }: ModelCall, secrets: SecretValues): Json {
  const { prompt, tools = [], abortSignal: _, ...settings } = options;
  return {
    prompt: newestOf(prompt, secrets),
    tools: redactedCopy(tools, secrets, TOOLS),
    settings: redactedCopy(settings, secrets, SETTINGS),
  };
}

/** If not everything fits, the end of the call is kept. */
function newestOf(prompt: LanguageModelV4Prompt, secrets: SecretValues): Json {
  const copied = redactedCopy(prompt.toReversed(), secrets, PROMPT);
  return Array.isArray(copied) ? copied.toReversed() : copied;
}

function responseOf(
  answer: AnswerParts,
  end: CallEnd,
  secrets: SecretValues,
): NewDebugEntry['response'] {
  const parts = answer.list.map((part) => (part.type === 'other' ? part.part : part));
  return {
    ...(end.responseId !== undefined && { id: secrets.hideParts(end.responseId) }),
    ...(end.responseModel !== undefined && { model: secrets.hideParts(end.responseModel) }),
    parts: redactedCopy(parts, secrets, ANSWER),
    ...(answer.cut > 0 && { cut: answer.cut }),
  };
}

function warningsOf(
  { warnings }: ModelCall,
  end: CallEnd,
  secrets: SecretValues,
): Pick<NewDebugEntry, 'warnings'> {
  const all = [...warnings, ...(end.warnings ?? [])];
  if (all.length === 0) return {};
  return { warnings: all.map((warning) => secrets.hideParts(warning.slice(0, SAID))) };
}

function usageOf(usage: NonNullable<CallEnd['usage']>): NonNullable<NewDebugEntry['usage']> {
  const named = Object.entries(tokenCounts(usage)).filter(([, count]) => count !== undefined);
  return Object.fromEntries(named.map(([name, count]) => [`${name}_tokens`, count]));
}

const finishOf = ({ unified, raw }: NonNullable<CallEnd['finish']>, secrets: SecretValues) => ({
  unified,
  ...(raw !== undefined && { raw: secrets.hideParts(raw.slice(0, 200)) }),
});

function errorOf(
  { failure, error }: Extract<CallEnd, { how: 'failed' }>,
  secrets: SecretValues,
): NonNullable<NewDebugEntry['error']> {
  const { kind, message, retryable, status_code } = failure;
  const said = saidBy(error);
  return {
    kind,
    message: secrets.hideParts(message),
    retryable,
    ...(status_code !== undefined && { status_code }),
    ...(said !== '' && { said: secrets.hideParts(said.slice(0, SAID)) }),
  };
}

function saidBy(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : '';
  const body = APICallError.isInstance(error) ? (error.responseBody ?? '') : '';
  return [error.message, body].filter((text) => text !== '').join('\n');
}

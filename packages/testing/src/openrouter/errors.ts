import type { FailureKind } from '../dialect.ts';
import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import { frame } from '../openai-chat/chunk.ts';

const FAILURES: Record<FailureKind, Refusal> = {
  overloaded: { status: 503, message: 'Provider returned error', code: 'Overloaded' },
  'rate-limit': {
    status: 429,
    message: 'Provider returned error',
    code: 'anthropic/claude-sonnet-4.5 is temporarily rate-limited upstream. Please retry shortly.',
  },
  server: { status: 500, message: 'Internal Server Error' },
  unavailable: {
    status: 503,
    message: 'There is no available model provider that meets your routing requirements',
  },
  'context-too-long': {
    status: 400,
    message:
      'This endpoint\'s maximum context length is 200000 tokens. However, you requested about 209000 tokens (208000 of text input, 1000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
  },
  quota: {
    status: 402,
    message: 'Insufficient credits. Add more using https://openrouter.ai/settings/credits',
  },
  'bad-key': { status: 401, message: 'No auth credentials found' },
  forbidden: { status: 403, message: 'Key limit exceeded. Manage it using the settings of keys' },
  'unknown-model': { status: 400, message: 'someone/unknown is not a valid model ID' },
  'content-filter': {
    status: 403,
    message:
      'anthropic/claude-sonnet-4.5 requires moderation on Anthropic. Your input was flagged for "violence/graphic". No credits were charged.',
  },
};

export function failure(kind: FailureKind): Refusal {
  return FAILURES[kind];
}

/** The original error of the model's provider. */
export function errorBody({ status, message, code }: Refusal): JsonObject {
  const metadata =
    code === undefined ? {} : { metadata: { provider_name: 'Anthropic', raw: code } };
  return { error: { code: status, message, ...metadata }, user_id: 'user_0001' };
}

/** Within a stream, the error comes in a chunk that also ends the choice. */
export function errorEvents(refusal: Refusal, sent: readonly JsonObject[]): EventFrame[] {
  const { id, created, model, provider } = sent[0] ?? {};
  const choice = { index: 0, delta: { content: '' }, finish_reason: 'error' };
  const head = { id, created, model, provider, object: 'chat.completion.chunk' };
  return [frame({ ...head, error: errorBody(refusal)['error'], choices: [choice] })];
}

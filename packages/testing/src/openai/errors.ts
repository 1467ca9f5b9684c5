import type { FailureKind } from '../dialect.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'invalid_request_error',
  403: 'invalid_request_error',
  404: 'invalid_request_error',
  429: 'requests',
};

const FAILURES: Record<FailureKind, Refusal> = {
  overloaded: {
    status: 503,
    message: 'The engine is currently overloaded, please try again later',
    code: 'server_is_overloaded',
  },
  'rate-limit': {
    status: 429,
    message: 'Rate limit reached for requests. Please try again in 3s.',
    code: 'rate_limit_exceeded',
  },
  server: {
    status: 500,
    message: 'The server had an error while processing your request. Sorry about that!',
    code: 'server_error',
  },
  'context-too-long': {
    status: 400,
    message:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
    param: 'messages',
    code: 'context_length_exceeded',
  },
  quota: {
    status: 429,
    message:
      'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
    code: 'insufficient_quota',
  },
  unavailable: { status: 503, message: 'Service Unavailable.', code: 'service_unavailable' },
  'bad-key': {
    status: 401,
    message:
      'Incorrect API key provided: sk-****. You can find your API key at https://platform.openai.com/account/api-keys.',
    code: 'invalid_api_key',
  },
  forbidden: {
    status: 403,
    message: 'Country, region, or territory not supported',
    code: 'unsupported_country_region_territory',
  },
  'unknown-model': {
    status: 404,
    message: 'The model `gpt-unknown` does not exist or you do not have access to it.',
    code: 'model_not_found',
  },
  'content-filter': {
    status: 400,
    message:
      'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.',
    code: 'invalid_prompt',
  },
};

export function errorOf({ status, message, param, code }: Refusal): JsonObject {
  const type = code === 'insufficient_quota' ? code : (TYPES[status] ?? 'server_error');
  return { message, type, param: param ?? null, code: code ?? null };
}

export function errorBody(refusal: Refusal): JsonObject {
  return { error: errorOf(refusal) };
}

export function failure(kind: FailureKind): Refusal {
  return FAILURES[kind];
}

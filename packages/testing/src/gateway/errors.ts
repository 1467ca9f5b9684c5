import type { FailureKind } from '../dialect.ts';
import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import { frame } from './part.ts';

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'insufficient_funds',
  403: 'forbidden',
  404: 'model_not_found',
  424: 'failed_dependency',
  429: 'rate_limit_exceeded',
};

const FAILURES: Record<FailureKind, Refusal> = {
  overloaded: { status: 503, message: 'All providers of the model are overloaded.' },
  'rate-limit': { status: 429, message: 'Rate limit exceeded. Please try again later.' },
  server: { status: 500, message: 'Internal server error' },
  unavailable: { status: 503, message: 'Service temporarily unavailable' },
  'context-too-long': {
    status: 400,
    message: 'prompt is too long: 209000 tokens > 200000 maximum',
  },
  quota: {
    status: 402,
    message:
      'Insufficient funds. Please add credits to your account to continue using AI services.',
  },
  'bad-key': { status: 401, message: 'Invalid API key' },
  forbidden: { status: 403, message: 'The request was denied by a rule of the team.' },
  'unknown-model': { status: 404, message: "Model 'someone/unknown' not found" },
  'content-filter': { status: 400, message: 'Output blocked by content filtering policy' },
};

export function failure(kind: FailureKind): Refusal {
  return FAILURES[kind];
}

function errorOf({ status, message, param }: Refusal): JsonObject {
  const type = TYPES[status] ?? 'internal_server_error';
  return { message, type, param: param ?? null, code: String(status) };
}

export function errorBody(refusal: Refusal): JsonObject {
  return { error: errorOf(refusal), generationId: 'gen_0001' };
}

export function errorEvents(refusal: Refusal): EventFrame[] {
  return [frame({ type: 'error', error: errorOf(refusal) })];
}

import type { FailureKind } from '../dialect.ts';
import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const FAILURES: Record<FailureKind, Refusal> = {
  overloaded: { status: 529, message: 'Overloaded' },
  'rate-limit': {
    status: 429,
    message: "This request would exceed your organization's rate limit of 50 requests per minute.",
  },
  server: { status: 500, message: 'Internal server error' },
  'context-too-long': {
    status: 400,
    message: 'prompt is too long: 209000 tokens > 200000 maximum',
  },
  quota: {
    status: 400,
    message:
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  },
  unavailable: { status: 503, message: 'Service unavailable' },
  'bad-key': { status: 401, message: 'invalid x-api-key' },
  forbidden: {
    status: 403,
    message: 'Your API key does not have permission to use the specified resource.',
  },
  'unknown-model': { status: 404, message: 'model: claude-unknown' },
  'content-filter': { status: 400, message: 'Output blocked by content filtering policy' },
};

export function errorBody(refusal: Refusal): JsonObject {
  const type = TYPES[refusal.status] ?? 'api_error';
  return {
    type: 'error',
    error: { type, message: refusal.message },
    request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
  };
}

export function failure(kind: FailureKind): Refusal {
  return FAILURES[kind];
}

export function errorEvents(refusal: Refusal): EventFrame[] {
  return [{ type: 'event', name: 'error', data: errorBody(refusal), part: false }];
}

import type { FailureKind } from '../dialect.ts';
import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import { frame } from './chunk.ts';

const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const FAILURES: Record<FailureKind, Refusal> = {
  overloaded: { status: 503, message: 'The model is overloaded. Please try again later.' },
  'rate-limit': {
    status: 429,
    message: 'Resource has been exhausted (e.g. check quota).',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' }],
  },
  server: { status: 500, message: 'An internal error has occurred. Please retry.' },
  'context-too-long': {
    status: 400,
    message:
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  },
  quota: {
    status: 429,
    message: 'You exceeded your current quota, please check your plan and billing details.',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
      },
    ],
  },
  unavailable: { status: 503, message: 'The service is currently unavailable.' },
  'bad-key': {
    status: 400,
    message: 'API key not valid. Please pass a valid API key.',
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
  },
  forbidden: { status: 403, message: 'The caller does not have permission' },
  'unknown-model': {
    status: 404,
    message:
      'models/gemini-unknown is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.',
  },
  'content-filter': {
    status: 400,
    message:
      'The prompt could not be submitted. It contains content that violates the content policy.',
  },
};

export function errorBody({ status, message, details }: Refusal): JsonObject {
  const error = { code: status, message, status: STATUSES[status] ?? 'UNKNOWN' };
  return { error: details ? { ...error, details } : error };
}

export function failure(kind: FailureKind): Refusal {
  return FAILURES[kind];
}

export function errorEvents(refusal: Refusal): EventFrame[] {
  return [frame(errorBody(refusal))];
}

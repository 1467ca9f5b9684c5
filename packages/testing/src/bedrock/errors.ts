import type { FailureKind } from '../dialect.ts';
import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import { frame } from './event.ts';

const TYPES: Record<number, string> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

/** Errors within a stream. */
const EXCEPTIONS: Record<number, string> = {
  400: 'validationException',
  424: 'modelStreamErrorException',
  429: 'throttlingException',
  503: 'serviceUnavailableException',
};

const FAILURES: Record<FailureKind, Refusal> = {
  overloaded: {
    status: 503,
    message: 'Bedrock is overloaded and unable to process your request. Please try again later.',
  },
  'rate-limit': { status: 429, message: 'Too many requests, please wait before trying again.' },
  server: {
    status: 500,
    message:
      'The system encountered an unexpected error during processing. Try your request again.',
  },
  unavailable: { status: 503, message: 'Bedrock is unable to process your request.' },
  'context-too-long': {
    status: 400,
    message: 'The model returned the following errors: Input is too long for requested model.',
  },
  quota: {
    status: 400,
    message: 'Your request exceeds the service quota for your account.',
    code: 'ServiceQuotaExceededException',
  },
  'bad-key': {
    status: 403,
    message: 'The security token included in the request is invalid.',
    code: 'UnrecognizedClientException',
  },
  forbidden: {
    status: 403,
    message: "You don't have access to the model with the specified model ID.",
  },
  'unknown-model': { status: 400, message: 'The provided model identifier is invalid.' },
  'content-filter': {
    status: 400,
    message: 'The model returned the following errors: Output blocked by content filtering policy',
  },
};

export function errorBody({ message }: Refusal): JsonObject {
  return { message };
}

export function errorHeaders({ status, code }: Refusal): Record<string, string> {
  return { 'x-amzn-errortype': code ?? TYPES[status] ?? 'InternalServerException' };
}

export function failure(kind: FailureKind): Refusal {
  return FAILURES[kind];
}

export function errorEvents({ status, message }: Refusal): EventFrame[] {
  return [frame({ [EXCEPTIONS[status] ?? 'internalServerException']: { message } })];
}

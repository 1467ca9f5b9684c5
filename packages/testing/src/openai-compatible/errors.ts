import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';

const TYPES: Record<number, string> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  404: 'NotFoundError',
  429: 'RateLimitError',
  503: 'ServiceUnavailableError',
};

/** In the format of vLLM: the code is the status. */
export function errorBody({ status, message, param, code }: Refusal): JsonObject {
  const type = code ?? TYPES[status] ?? 'InternalServerError';
  return { error: { message, type, param: param ?? null, code: status } };
}

import type { Problem } from '@chatd/protocol';

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

const CODES: Readonly<Record<string, string>> = {
  unauthenticated: 'invalid_api_key',
  token_expired: 'invalid_api_key',
  unknown_model_config: 'model_not_found',
  too_many_requests: 'rate_limit_exceeded',
  unknown_field: 'unknown_parameter',
};

/** Clients of OpenAI retry 409, which chatd uses for requests that do not fit the state of a chat. */
const STATUSES: Readonly<Record<string, number>> = { unknown_model_config: 404 };

/** A problem in the form of OpenAI. */
export function errorObject({ status, detail, code, errors }: Problem): {
  readonly status: number;
  readonly body: object;
} {
  const shown = STATUSES[code] ?? (status === 409 ? 400 : status);
  const type = TYPES[shown] ?? (shown >= 500 ? 'server_error' : 'invalid_request_error');
  const param = errors?.[0]?.path ?? null;
  return {
    status: shown,
    body: { error: { message: detail, type, param, code: CODES[code] ?? code } },
  };
}

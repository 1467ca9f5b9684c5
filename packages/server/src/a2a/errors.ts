import type { Problem } from '@chatd/protocol';

/** Errors of JSON-RPC and of A2A. */
const CODES = {
  PARSE_ERROR: -32_700,
  INVALID_REQUEST: -32_600,
  METHOD_NOT_FOUND: -32_601,
  INVALID_PARAMS: -32_602,
  INTERNAL_ERROR: -32_603,
  UNAUTHORIZED: -32_000,
  TASK_NOT_FOUND: -32_001,
  TASK_NOT_CANCELABLE: -32_002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32_003,
  UNSUPPORTED_OPERATION: -32_004,
  CONTENT_TYPE_NOT_SUPPORTED: -32_005,
  VERSION_NOT_SUPPORTED: -32_009,
} as const;

type Reason = keyof typeof CODES;

/** A refusal of the adapter. Refusals of the API are problems. */
export class A2aError extends Error {
  override readonly name = 'A2aError';
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export const taskNotFound = (id: string): A2aError =>
  new A2aError('TASK_NOT_FOUND', `Task not found: ${id}`);

const REASONS: Readonly<Record<string, Reason>> = {
  invalid_json: 'PARSE_ERROR',
  unsupported_media_type: 'CONTENT_TYPE_NOT_SUPPORTED',
};

function reasonOf({ code, status }: Problem): Reason {
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (status === 401 || status === 403) return 'UNAUTHORIZED';
  if (status === 404) return 'TASK_NOT_FOUND';
  if (status === 409) return 'UNSUPPORTED_OPERATION';
  return status === 429 || status >= 500 ? 'INTERNAL_ERROR' : 'INVALID_PARAMS';
}

/** The error of a JSON-RPC response. `data` has the code of the API, if the API refused the request. */
export function errorObject(error: A2aError | Problem): object {
  const refused = error instanceof A2aError;
  const reason = refused ? error.reason : reasonOf(error);
  return {
    code: CODES[reason],
    message: refused ? error.message : (error.detail ?? error.title),
    data: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason,
        domain: 'a2a-protocol.org',
        ...(!refused && { metadata: { code: error.code } }),
      },
    ],
  };
}

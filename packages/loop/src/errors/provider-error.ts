import type { ErrorKind } from '@chatd/protocol';

/** An error that is already classified, for code between the loop and a provider. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ErrorKind;
  readonly retryable: boolean;
  readonly statusCode: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(options: {
    kind: ErrorKind;
    message: string;
    retryable?: boolean;
    statusCode?: number;
    retryAfterMs?: number;
  }) {
    super(options.message);
    this.kind = options.kind;
    this.retryable = options.retryable ?? false;
    this.statusCode = options.statusCode;
    this.retryAfterMs = options.retryAfterMs;
  }
}

import { ProviderError } from '@chatd/loop';
import { UrlNotAllowed } from './url-check.ts';

const BODY_LIMIT_MIB = 128;
/** Whole bodies are held in memory. */
export const BODY_LIMIT = BODY_LIMIT_MIB * 1024 * 1024;

export const bodyTooLong = (): ProviderError =>
  new ProviderError({
    kind: 'generic',
    message: `The provider's response exceeded ${BODY_LIMIT_MIB} MiB and was canceled. Check its base_url.`,
  });

/** A redirect could send the key anywhere. */
export const redirected = (status: number): ProviderError =>
  new ProviderError({
    kind: 'config',
    statusCode: status,
    message: `The provider responded with a redirect (HTTP ${status}), which is not followed. Check its base_url.`,
  });

/** Errors from the connection check are wrapped by the client. */
export function refusalIn(error: unknown, depth = 0): ProviderError | undefined {
  if (error instanceof UrlNotAllowed) {
    return new ProviderError({ kind: 'config', message: `Request blocked: ${error.message}` });
  }
  if (!(error instanceof Error) || depth > 4) return undefined;
  const inner = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return inner.map((one) => refusalIn(one, depth + 1)).find((found) => found !== undefined);
}

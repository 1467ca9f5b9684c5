import { UrlNotAllowed } from '../../providers/fetch/url-check.ts';
import type { McpServerRow } from '../../store/mcp-servers.ts';
import { McpFailure } from '../mcp-failure.ts';
import type { Fetch } from '../fetch/mcp-fetch.ts';

export interface OAuthFetches {
  /** Connects to private addresses if the deployment allows them. */
  readonly configured: Fetch;
  readonly publicOnly: Fetch;
}

/**
 * HTTP requests of the OAuth flow. The MCP server and its authorization server choose most URLs, so a malicious one
 * could target services in the private network. Only origins that an admin entered may be private.
 */
export function oauthFetch(
  { url, auth }: Pick<McpServerRow, 'url' | 'auth'>,
  { configured, publicOnly }: OAuthFetches,
): Fetch {
  const issuer = auth.type === 'oauth' ? auth.issuer : undefined;
  const entered = new Set([url, issuer].flatMap((one) => (one ? [originOf(one)] : [])));
  return async (input, init) => {
    const origin = originOf(input);
    if (entered.has(origin)) return await configured(input, init);
    try {
      return await publicOnly(input, init);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      throw new McpFailure(
        `The MCP server uses ${origin} for sign-in, which is not a public address. If you trust it, set it as the issuer in the auth of the server.`,
        { harmless: true, lost: true },
      );
    }
  };
}

const originOf = (url: string | URL): string => new URL(url).origin;

/** The HTTP client wraps errors of the connector. */
function isRefusal(error: unknown, depth = 0): boolean {
  if (error instanceof UrlNotAllowed) return true;
  if (!(error instanceof Error) || depth > 4) return false;
  const inner: unknown[] =
    error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return inner.some((one) => isRefusal(one, depth + 1));
}

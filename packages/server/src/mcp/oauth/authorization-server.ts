import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import type { Fetch } from '../fetch/mcp-fetch.ts';
import { McpFailure } from '../mcp-failure.ts';

/** The authorization server of an MCP server, and the requested access. */
export interface AuthorizationServer {
  readonly url: string;
  readonly metadata?: AuthorizationServerMetadata;
  /** The resource to which tokens are restricted (RFC 8707). */
  readonly resource?: string;
  readonly scope?: string;
}

export interface AuthorizationServerRequest {
  readonly serverUrl: string;
  /** The only accepted issuer. */
  readonly issuer?: string | undefined;
  readonly scope?: string | undefined;
}

/** Discovers the authorization server. Throws if its metadata is invalid. */
export async function findAuthorizationServer(
  { serverUrl, issuer, scope }: AuthorizationServerRequest,
  fetch: Fetch,
): Promise<AuthorizationServer> {
  const { discoverOAuthServerInfo, checkResourceAllowed } =
    await import('@modelcontextprotocol/client');
  const hints = await askForHints(serverUrl, fetch);
  const found = await discoverOAuthServerInfo(serverUrl, {
    ...(hints.resourceMetadataUrl && { resourceMetadataUrl: hints.resourceMetadataUrl }),
    fetchFn: fetch,
  });
  const { authorizationServerUrl: url, authorizationServerMetadata, resourceMetadata } = found;
  if (issuer !== undefined && !isSameUrl(issuer, url)) {
    throw new McpFailure(
      `The server names ${url} as its authorization server, but its auth specifies ${issuer}.`,
    );
  }
  const resource = resourceMetadata?.resource;
  if (
    resource !== undefined &&
    !checkResourceAllowed({ requestedResource: serverUrl, configuredResource: resource })
  ) {
    throw new McpFailure(
      `The server identifies itself as ${resource}, which does not match its URL.`,
    );
  }
  const requestedScope = scope ?? hints.scope ?? resourceMetadata?.scopes_supported?.join(' ');
  return {
    url,
    ...(authorizationServerMetadata && { metadata: authorizationServerMetadata }),
    ...(resource !== undefined && { resource }),
    ...(requestedScope !== undefined && requestedScope !== '' && { scope: requestedScope }),
  };
}

/** The challenge that the server sends to an unauthenticated request. */
async function askForHints(serverUrl: string, fetch: Fetch) {
  const answer = await fetch(serverUrl, { headers: { accept: 'text/event-stream' } });
  await answer.body?.cancel();
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  return answer.status === 401 ? extractWWWAuthenticateParams(answer) : {};
}

const isSameUrl = (one: string, other: string): boolean =>
  one.replace(/\/$/, '') === other.replace(/\/$/, '');

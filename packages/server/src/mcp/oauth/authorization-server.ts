import {
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { checkResourceAllowed } from '@modelcontextprotocol/sdk/shared/auth-utils.js';
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { Fetch } from '../fetch/mcp-fetch.ts';
import { McpFailure } from '../mcp-failure.ts';

/** Who gives out tokens for a server, and for what they are asked. */
export interface AuthorizationServer {
  readonly url: string;
  readonly metadata?: AuthorizationServerMetadata;
  /** Tokens are for this alone (RFC 8707). */
  readonly resource?: string;
  readonly scope?: string;
}

export interface AuthorizationServerRequest {
  readonly serverUrl: string;
  /** The only one that is accepted. */
  readonly issuer?: string | undefined;
  readonly scope?: string | undefined;
}

/** Asks the server whom it trusts. Whatever is wrong with its answers is thrown. */
export async function findAuthorizationServer(
  { serverUrl, issuer, scope }: AuthorizationServerRequest,
  fetch: Fetch,
): Promise<AuthorizationServer> {
  const hints = await askForHints(serverUrl, fetch);
  const found = await discoverOAuthServerInfo(serverUrl, {
    ...(hints.resourceMetadataUrl && { resourceMetadataUrl: hints.resourceMetadataUrl }),
    fetchFn: fetch,
  });
  const { authorizationServerUrl: url, authorizationServerMetadata, resourceMetadata } = found;
  if (issuer !== undefined && !isSameUrl(issuer, url)) {
    throw new McpFailure(
      `The server names ${url} as its authorization server, and not ${issuer}, which its auth says.`,
    );
  }
  const resource = resourceMetadata?.resource;
  if (
    resource !== undefined &&
    !checkResourceAllowed({ requestedResource: serverUrl, configuredResource: resource })
  ) {
    throw new McpFailure(`The server says that it is ${resource}, which is not where it is.`);
  }
  const asked = scope ?? hints.scope ?? resourceMetadata?.scopes_supported?.join(' ');
  return {
    url,
    ...(authorizationServerMetadata && { metadata: authorizationServerMetadata }),
    ...(resource !== undefined && { resource }),
    ...(asked !== undefined && asked !== '' && { scope: asked }),
  };
}

/** What the server says to somebody who comes without a token. */
async function askForHints(serverUrl: string, fetch: Fetch) {
  const answer = await fetch(serverUrl, { headers: { accept: 'text/event-stream' } });
  await answer.body?.cancel();
  return answer.status === 401 ? extractWWWAuthenticateParams(answer) : {};
}

const isSameUrl = (one: string, other: string): boolean =>
  one.replace(/\/$/, '') === other.replace(/\/$/, '');

import type { Fetch } from '../fetch/mcp-fetch.ts';
import { McpFailure } from '../mcp-failure.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import type { SessionDetails } from './session.ts';

export interface RegisteredClient extends Pick<SessionDetails, 'client_id' | 'client_auth_method'> {
  readonly client_secret?: string;
}

const METHODS = ['none', 'client_secret_basic', 'client_secret_post'];

export async function register(
  { url, metadata, scope }: AuthorizationServer,
  redirectUrl: string,
  fetch: Fetch,
): Promise<RegisteredClient> {
  if (metadata !== undefined && metadata.registration_endpoint === undefined) {
    throw new McpFailure(
      'The authorization server does not support dynamic registration. Register chatd there, and set the client_id in the auth of the server.',
    );
  }
  const supported = metadata?.token_endpoint_auth_methods_supported ?? METHODS;
  const method = METHODS.find((one) => supported.includes(one)) ?? 'none';
  const { registerClient } = await import('@modelcontextprotocol/client');
  const client = await registerClient(url, {
    ...(metadata && { metadata }),
    ...(scope !== undefined && { scope }),
    clientMetadata: {
      client_name: 'chatd',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
    },
    fetchFn: fetch,
  });
  const { client_id, client_secret, token_endpoint_auth_method } = client;
  return {
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    ...(token_endpoint_auth_method !== undefined && {
      client_auth_method: token_endpoint_auth_method,
    }),
  };
}

import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/client';
import type { AuthorizationServer } from './authorization-server.ts';

export interface SessionDetails {
  readonly server: AuthorizationServer;
  readonly client_id: string;
  readonly client_auth_method?: string;
  /** Milliseconds since the epoch. Absent: unknown. */
  readonly expires_at?: number;
}

export interface SessionSecrets {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly client_secret?: string;
}

export const clientInformation = (
  { client_id, client_auth_method }: Pick<SessionDetails, 'client_id' | 'client_auth_method'>,
  client_secret: string | undefined,
): OAuthClientInformationMixed => ({
  client_id,
  ...(client_secret !== undefined && { client_secret }),
  ...(client_auth_method !== undefined && { token_endpoint_auth_method: client_auth_method }),
});

export const requestParts = ({ metadata, resource }: AuthorizationServer) => ({
  ...(metadata && { metadata }),
  ...(resource !== undefined && { resource }),
});

export const expiryOf = ({ expires_in }: OAuthTokens, now: number): { expires_at?: number } =>
  expires_in === undefined ? {} : { expires_at: now + expires_in * 1000 };

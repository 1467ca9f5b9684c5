import type { Clock } from '@chatd/loop';
import { hashSecret, newSecret } from '../../auth/secret.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { Database } from '../../store/database.ts';
import { toJson } from '../../store/json.ts';
import { mcpSessionOf, type McpServerRow, mcpSignInOf } from '../../store/mcp-servers.ts';
import { findMcpServer } from '../../store/queries/mcp-servers.ts';
import { insertMcpSignIn, putMcpSession, takeMcpSignIn } from '../../store/queries/mcp-sessions.ts';
import { onlyRow } from '../../store/statement.ts';
import { McpFailure } from '../mcp-failure.ts';
import { findAuthorizationServer } from './authorization-server.ts';
import { oauthFetch, type OAuthFetches } from './oauth-fetch.ts';
import { register } from './register.ts';
import { clientInformation, expiryOf, requestParts, type SessionDetails } from './session.ts';

/** Time limit for a sign-in. */
const TIMEOUT_MS = 15 * 60_000;

interface BegunDetails extends SessionDetails {
  readonly redirect_url: string;
}

interface BegunSecrets {
  readonly code_verifier: string;
  readonly client_secret?: string;
}

export interface SignInsOptions {
  readonly database: Database;
  readonly vault: Vault;
  readonly fetches: OAuthFetches;
  readonly clock: Pick<Clock, 'now'>;
}

/** The parameters of the redirect back to chatd. */
export interface Returned {
  readonly code: string;
  readonly state: string;
  readonly iss?: string | undefined;
}

/** OAuth sign-ins of users. Each can be completed once, by the same user. */
export class SignIns {
  readonly #with: SignInsOptions;

  constructor(options: SignInsOptions) {
    this.#with = options;
  }

  async begin(
    server: Pick<McpServerRow, 'id' | 'url' | 'auth'>,
    userId: string,
    to: { redirectUrl: string; clientSecret: string | undefined },
  ): Promise<{ url: string; expiresAt: Date }> {
    const { auth, url: serverUrl } = server;
    if (auth.type !== 'oauth' || serverUrl === null) {
      throw new McpFailure('This server has no sign-in.');
    }
    const { fetches, database, vault } = this.#with;
    const fetch = oauthFetch(server, fetches);
    const found = await findAuthorizationServer(
      { serverUrl, issuer: auth.issuer, scope: auth.scope },
      fetch,
    );
    const client =
      auth.client_id === undefined
        ? await register(found, to.redirectUrl, fetch)
        : {
            client_id: auth.client_id,
            ...(to.clientSecret !== undefined && { client_secret: to.clientSecret }),
          };
    const { client_secret, ...known } = client;
    const state = newSecret();
    const { startAuthorization } = await import('@modelcontextprotocol/client');
    const { authorizationUrl, codeVerifier } = await startAuthorization(found.url, {
      ...requestParts(found),
      clientInformation: clientInformation(known, client_secret),
      redirectUrl: to.redirectUrl,
      state,
      ...(found.scope !== undefined && { scope: found.scope }),
    });
    const details: BegunDetails = { ...known, server: found, redirect_url: to.redirectUrl };
    const secrets: BegunSecrets = {
      code_verifier: codeVerifier,
      ...(client_secret !== undefined && { client_secret }),
    };
    const sealed = vault.seal({ ...secrets }, mcpSignInOf(server.id, userId));
    const begun = {
      state_hash: hashSecret(state),
      server_id: server.id,
      user_id: userId,
      details: toJson(details),
      secrets: sealed,
      ttl_ms: TIMEOUT_MS,
    };
    const { expires_at } = onlyRow(await database.query(insertMcpSignIn, begun));
    return { url: authorizationUrl.href, expiresAt: expires_at };
  }

  /**
   * Completes a sign-in and returns the server. Undefined: this user did not start it, or too long ago. Checking the
   * user prevents login CSRF.
   */
  async finish(userId: string, { code, state, iss }: Returned): Promise<string | undefined> {
    const { fetches, database, vault, clock } = this.#with;
    const [begun] = await database.query(takeMcpSignIn, {
      state_hash: hashSecret(state),
      user_id: userId,
    });
    if (begun === undefined) return undefined;
    const { server_id } = begun;
    const [configured] = await database.query(findMcpServer, { id: server_id, user_id: userId });
    if (configured === undefined) return undefined;
    const { redirect_url, ...details } = begun.details as BegunDetails;
    const { server } = details;
    const issuer = server.metadata?.issuer;
    if (iss !== undefined && issuer !== undefined && iss !== issuer) {
      throw new McpFailure(`The response comes from ${iss}, not from ${issuer}.`);
    }
    const secrets = vault.open(begun.secrets, mcpSignInOf(server_id, userId));
    const { code_verifier, client_secret } = secrets as unknown as BegunSecrets;
    const { exchangeAuthorization } = await import('@modelcontextprotocol/client');
    const tokens = await exchangeAuthorization(server.url, {
      ...requestParts(server),
      clientInformation: clientInformation(details, client_secret),
      authorizationCode: code,
      codeVerifier: code_verifier,
      redirectUri: redirect_url,
      fetchFn: oauthFetch(configured, fetches),
    });
    const { access_token, refresh_token } = tokens;
    const sealed = vault.seal(
      {
        access_token,
        ...(refresh_token !== undefined && { refresh_token }),
        ...(client_secret !== undefined && { client_secret }),
      },
      mcpSessionOf(server_id, userId),
    );
    const kept: SessionDetails = { ...details, ...expiryOf(tokens, clock.now()) };
    await database.query(putMcpSession, {
      server_id,
      user_id: userId,
      details: toJson(kept),
      secrets: sealed,
    });
    return server_id;
  }
}

import type { Clock } from '@chatd/loop';
import { knownSecrets } from '../../secrets/secret-values.ts';
import type { Credentials } from '../fetch/credentials.ts';
import type { Fetch } from '../fetch/mcp-fetch.ts';
import {
  findAuthorizationServer,
  type AuthorizationServerRequest,
} from './authorization-server.ts';
import { expiryOf, requestParts } from './session.ts';

export interface ClientLogin extends AuthorizationServerRequest {
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Token {
  readonly value: string;
  readonly expires_at?: number;
}

const MARGIN_MS = 30_000;

/** Client credentials of chatd, shared by all users. The token is kept only in memory. */
export class ClientCredentials implements Credentials {
  readonly #login: ClientLogin;
  readonly #with: { readonly fetch: Fetch; readonly clock: Pick<Clock, 'now'> };
  #token: Promise<Token> | undefined;

  constructor(login: ClientLogin, tools: { fetch: Fetch; clock: Pick<Clock, 'now'> }) {
    this.#login = login;
    this.#with = tools;
  }

  async headers(): Promise<Record<string, string>> {
    this.#token ??= this.#ask();
    const asked = this.#token;
    try {
      const { value, expires_at } = await asked;
      if (expires_at === undefined || expires_at - MARGIN_MS > this.#with.clock.now()) {
        return { authorization: `Bearer ${value}` };
      }
    } catch (error) {
      this.#forget(asked);
      throw error;
    }
    this.#forget(asked);
    this.#token ??= this.#ask();
    return { authorization: `Bearer ${(await this.#token).value}` };
  }

  async renewed(refused: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const current = this.#token;
    const value = await current?.then((token) => token.value).catch(() => undefined);
    if (refused['authorization'] === `Bearer ${value}`) this.#forget(current);
    return await this.headers();
  }

  #forget(token: Promise<Token> | undefined): void {
    if (this.#token === token) this.#token = undefined;
  }

  async #ask(): Promise<Token> {
    const { clientId, clientSecret } = this.#login;
    const { fetch, clock } = this.#with;
    const server = await findAuthorizationServer(this.#login, fetch);
    const { fetchToken, ClientCredentialsProvider } = await import('@modelcontextprotocol/client');
    const provider = new ClientCredentialsProvider({
      clientId,
      clientSecret,
      expectedIssuer: server.url,
      ...(server.scope !== undefined && { scope: server.scope }),
    });
    const { resource, ...parts } = requestParts(server);
    const tokens = await fetchToken(provider, server.url, {
      ...parts,
      ...(resource !== undefined && { resource }),
      fetchFn: fetch,
    });
    knownSecrets.add(tokens.access_token);
    return { value: tokens.access_token, ...expiryOf(tokens, clock.now()) };
  }
}

import type { Clock } from '@chatd/loop';
import type { Vault } from '../secrets/vault.ts';
import type { Database } from '../store/database.ts';
import type { McpServerRow } from '../store/mcp-servers.ts';
import { type Credentials, fixedCredentials } from './fetch/credentials.ts';
import { McpFailure } from './mcp-failure.ts';
import { ClientCredentials } from './oauth/client-credentials.ts';
import { oauthFetch, type OAuthFetches } from './oauth/oauth-fetch.ts';
import { UserCredentials } from './oauth/user-credentials.ts';
import { openSecrets, type ServerSecrets } from './server-secrets.ts';
import type { SandboxProgram } from './sandbox/sandbox-transport.ts';
import type { Program } from './stdio/child-transport.ts';

export type McpAccess =
  | { readonly transport: 'http' | 'sse'; readonly url: URL; readonly credentials: Credentials }
  | { readonly transport: 'stdio'; readonly program: Program }
  | { readonly transport: 'sandbox'; readonly program: SandboxProgram };

export interface AccessOptions {
  readonly database: Database;
  readonly vault: Vault;
  readonly fetches: OAuthFetches;
  readonly clock: Pick<Clock, 'now'>;
}

/** Decrypts credentials. OAuth sessions belong to users; all other credentials are shared. */
export class McpAccesses {
  readonly #with: AccessOptions;
  /** By server, while its configuration does not change. */
  readonly #logins = new Map<string, { revision: number; credentials: ClientCredentials }>();

  constructor(options: AccessOptions) {
    this.#with = options;
  }

  of(server: McpServerRow, userId: string): McpAccess {
    const secrets = openSecrets(server, this.#with.vault);
    const { transport, url, command, args, cwd, limits } = server;
    if (transport === 'stdio') {
      if (command === null) throw new McpFailure(`${server.name} has no command.`);
      return { transport, program: { command, args, env: secrets.env, cwd, limits } };
    }
    if (url === null) throw new McpFailure(`${server.name} has no url.`);
    const credentials = this.#credentials(server, userId, secrets);
    return { transport, url: new URL(url), credentials };
  }

  #credentials(server: McpServerRow, userId: string, { auth: secret }: ServerSecrets): Credentials {
    const { auth } = server;
    switch (auth.type) {
      case 'none':
        return fixedCredentials({});
      case 'bearer':
        return fixedCredentials({ authorization: `Bearer ${secret ?? ''}` });
      case 'header':
        return fixedCredentials({ [auth.name.toLowerCase()]: secret ?? '' });
      case 'oauth':
        return auth.grant === 'authorization_code'
          ? new UserCredentials({ server, userId }, this.#toolsFor(server))
          : this.#login(server, secret);
    }
  }

  #login(server: McpServerRow, secret: string | undefined): ClientCredentials {
    const { id, revision, url, auth } = server;
    const known = this.#logins.get(id);
    if (known?.revision === revision) return known.credentials;
    if (auth.type !== 'oauth' || url === null) throw new McpFailure('This server has no sign-in.');
    const login = {
      serverUrl: url,
      clientId: auth.client_id ?? '',
      clientSecret: secret ?? '',
      issuer: auth.issuer,
      scope: auth.scope,
    };
    const credentials = new ClientCredentials(login, this.#toolsFor(server));
    this.#logins.set(id, { revision, credentials });
    return credentials;
  }

  #toolsFor(server: McpServerRow) {
    const { fetches, ...rest } = this.#with;
    return { ...rest, fetch: oauthFetch(server, fetches) };
  }
}

import type { Clock } from '@chatd/loop';
import { mcpSessionOf, type McpSessionRow } from '../../store/mcp-servers.ts';
import type { Database } from '../../store/database.ts';
import {
  deleteMcpSession,
  findMcpSession,
  lockMcpSession,
  putMcpSession,
} from '../../store/queries/mcp-sessions.ts';
import { toJson } from '../../store/json.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { Credentials } from '../fetch/credentials.ts';
import type { Fetch } from '../fetch/mcp-fetch.ts';
import { signInNeeded } from '../mcp-failure.ts';
import {
  clientInformation,
  expiryOf,
  requestParts,
  type SessionDetails,
  type SessionSecrets,
} from './session.ts';

export interface SessionHolder {
  readonly server: { readonly id: string; readonly name: string };
  readonly userId: string;
}

export interface SessionTools {
  readonly database: Database;
  readonly vault: Vault;
  readonly fetch: Fetch;
  readonly clock: Pick<Clock, 'now'>;
}

/** Tokens are renewed this long before they expire. */
const MARGIN_MS = 30_000;
/** Shorter than the idle timeout of a transaction, because the row stays locked. */
const RENEWAL_MS = 8000;

type Headers = Readonly<Record<string, string>>;

/**
 * The OAuth session of one user with one server. Read for each request, because another replica may renew or end it.
 */
export class UserCredentials implements Credentials {
  readonly #of: SessionHolder;
  readonly #with: SessionTools;

  constructor(of: SessionHolder, tools: SessionTools) {
    this.#of = of;
    this.#with = tools;
  }

  async headers(): Promise<Headers> {
    const { database, clock } = this.#with;
    const [row] = await database.query(findMcpSession, this.#key);
    if (row === undefined) throw signInNeeded(this.#of.server.name);
    const { expires_at } = row.details as SessionDetails;
    const headers = asHeaders(this.#open(row));
    if (expires_at === undefined || expires_at - MARGIN_MS > clock.now()) return headers;
    return (await this.renewed(headers)) ?? headers;
  }

  /** One renewal at a time across all replicas: others wait for the row lock and use the result. */
  async renewed(refused: Headers): Promise<Headers | undefined> {
    const { database } = this.#with;
    const outcome = await database.transaction(async (tx) => {
      const [row] = await tx.query(lockMcpSession, this.#key);
      if (row === undefined) return 'gone';
      const secrets = this.#open(row);
      const current = asHeaders(secrets);
      if (current['authorization'] !== refused['authorization']) return current;
      const details = row.details as SessionDetails;
      const fresh = await this.#refresh(details, secrets);
      if (fresh === 'gone') {
        await tx.query(deleteMcpSession, this.#key);
        return fresh;
      }
      const sealed = this.#with.vault.seal({ ...fresh.secrets }, this.#sealedFor);
      await tx.query(putMcpSession, {
        ...this.#key,
        details: toJson(fresh.details),
        secrets: sealed,
      });
      return asHeaders(fresh.secrets);
    });
    if (outcome === 'gone') throw signInNeeded(this.#of.server.name);
    return outcome;
  }

  async #refresh(
    details: SessionDetails,
    { refresh_token, client_secret }: SessionSecrets,
  ): Promise<'gone' | { details: SessionDetails; secrets: SessionSecrets }> {
    const { fetch, clock } = this.#with;
    if (refresh_token === undefined) return 'gone';
    const { server } = details;
    const { refreshAuthorization, OAuthError } = await import('@modelcontextprotocol/client');
    try {
      const tokens = await refreshAuthorization(server.url, {
        ...requestParts(server),
        clientInformation: clientInformation(details, client_secret),
        refreshToken: refresh_token,
        fetchFn: (input, init) =>
          fetch(input, { ...init, signal: AbortSignal.timeout(RENEWAL_MS) }),
      });
      const { expires_at: _, ...rest } = details;
      return {
        details: { ...rest, ...expiryOf(tokens, clock.now()) },
        secrets: {
          access_token: tokens.access_token,
          refresh_token: tokens.refresh_token ?? refresh_token,
          ...(client_secret !== undefined && { client_secret }),
        },
      };
    } catch (error) {
      if (error instanceof OAuthError && error.code === 'invalid_grant') return 'gone';
      throw error;
    }
  }

  #open(row: McpSessionRow): SessionSecrets {
    return this.#with.vault.open(row.secrets, this.#sealedFor) as unknown as SessionSecrets;
  }

  get #key(): { readonly server_id: string; readonly user_id: string } {
    return { server_id: this.#of.server.id, user_id: this.#of.userId };
  }

  get #sealedFor(): string {
    return mcpSessionOf(this.#of.server.id, this.#of.userId);
  }
}

const asHeaders = ({ access_token }: SessionSecrets): Headers => ({
  authorization: `Bearer ${access_token}`,
});

import type { Bus, Subscription } from '../bus/bus.ts';
import { Refused } from '../chat/refused.ts';
import { UnreadableSecret, type Vault } from '../secrets/vault.ts';
import {
  findActiveUser,
  findGitConnection,
  type GitConnectionRow,
  gitSecretsOf,
  listGitConnections,
} from '../store/queries/git.ts';
import type { Queryable } from '../store/statement.ts';
import type { GitHubApp, TokenAccess } from './github-app/github-app.ts';

export interface GitConnectionsOptions {
  readonly database: Queryable;
  readonly vault: Vault;
  readonly bus: Bus;
  /** For users without a connection to its host. */
  readonly app?: GitHubApp | undefined;
}

/** The id of a connection that no user has made. */
const SHARED_ID = 'github-app';

const SUBJECT = 'git-connections';
/** Other replicas may miss the message about a change. */
const FRESH_MS = 60_000;
const MAX_CACHED = 10_000;

/** The accounts of users at git hosts. */
export class GitConnections {
  readonly #options: GitConnectionsOptions;
  readonly #hosts = new Map<string, { readonly at: number; readonly hosts: readonly string[] }>();
  readonly #listeners = new Set<(ownerId: string) => void>();
  /** How often connections have changed. */
  #changes = 0;
  #subscription: Subscription | undefined;

  constructor(options: GitConnectionsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#subscription = await this.#options.bus.subscribe(SUBJECT, (payload) => {
      const ownerId = payload as string;
      this.#changes += 1;
      this.#hosts.delete(ownerId);
      for (const listener of this.#listeners) listener(ownerId);
    });
  }

  async close(): Promise<void> {
    await this.#subscription?.close();
  }

  /** The hosts whose repositories a user reaches, or hosts with owners: `HOST` or `HOST/OWNER`. */
  async hosts(ownerId: string): Promise<readonly string[]> {
    const own = await this.#own(ownerId);
    const { app } = this.#options;
    return app === undefined || own.includes(app.host) ? own : [...own, ...app.routes];
  }

  async #own(ownerId: string): Promise<readonly string[]> {
    const cached = this.#hosts.get(ownerId);
    if (cached !== undefined && performance.now() - cached.at < FRESH_MS) return cached.hosts;
    const changes = this.#changes;
    const rows = await this.#options.database.query(listGitConnections, { owner_id: ownerId });
    const hosts = rows.map(({ host }) => host);
    // Read before a change, and so possibly old.
    if (changes !== this.#changes) return hosts;
    if (this.#hosts.size >= MAX_CACHED) this.#hosts.clear();
    this.#hosts.set(ownerId, { at: performance.now(), hosts });
    return hosts;
  }

  /** The user's own, else that of the deployment's GitHub App. */
  async find(ownerId: string, host: string): Promise<GitConnectionRow | undefined> {
    const { database, app } = this.#options;
    const [row] = await database.query(findGitConnection, { owner_id: ownerId, host });
    if (row !== undefined || host !== app?.host) return row;
    const [user] = await database.query(findActiveUser, { id: ownerId });
    return user && sharedConnection(app, ownerId, user.username);
  }

  /** Whether it is that of the deployment's GitHub App. */
  isShared({ id }: Pick<GitConnectionRow, 'id'>): boolean {
    return id === SHARED_ID;
  }

  /** Registers the token, so that it is removed from logs and tool output. Call it for allowed repositories only. */
  async token(
    connection: GitConnectionRow,
    repository: string,
    access: TokenAccess,
  ): Promise<string> {
    const { app } = this.#options;
    if (app === undefined || !this.isShared(connection)) return this.#opened(connection);
    return await app.token(repository, access);
  }

  /** The host has refused the token for this repository. */
  refused(connection: GitConnectionRow, repository: string): void {
    if (this.isShared(connection)) this.#options.app?.forget(repository);
  }

  #opened({ owner_id, host, secrets }: GitConnectionRow): string {
    try {
      return this.#options.vault.open(secrets, gitSecretsOf(owner_id, host))['token'] ?? '';
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      throw new Refused(
        'git_token_refused',
        `The token for ${host} was encrypted with a CHATD_SECRET_KEY that is no longer set. Connect ${host} again.`,
      );
    }
  }

  seal(ownerId: string, host: string, token: string): string {
    return this.#options.vault.seal({ token }, gitSecretsOf(ownerId, host));
  }

  /** Call after the commit of a change. */
  changed(ownerId: string): void {
    this.#options.bus.publish(SUBJECT, ownerId);
  }

  /** Calls `listener` with the owner of each changed connection, until the returned function is called. */
  onChange(listener: (ownerId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const EPOCH = new Date(0);

const sharedConnection = (
  { host, repositories }: GitHubApp,
  owner_id: string,
  username: string,
): GitConnectionRow => ({
  id: SHARED_ID,
  owner_id,
  kind: 'github',
  host,
  username: 'x-access-token',
  account: null,
  author_name: username,
  author_email: `${username}@users.noreply.chatd.invalid`,
  repositories,
  secrets: '',
  created_at: EPOCH,
  updated_at: EPOCH,
});

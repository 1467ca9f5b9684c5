import type { Clock } from '@chatd/loop';
import type { GitHostKind } from '@chatd/protocol';
import type { Dispatcher } from 'undici';
import type { GitConnectionRow } from '../../store/queries/git.ts';
import type { GitConnections } from '../connections.ts';
import { ApiClient } from './api-client.ts';
import type { GitHost } from './git-host.ts';
import { GitHub, githubUrls } from './github.ts';
import { GitLab, gitlabUrl } from './gitlab.ts';
import { ResponseCache } from './response-cache.ts';

const MAX_KEPT = 500;

/** The APIs of the connected hosts. One client per connection, so that all chats of a user share its responses. */
export class GitHosts {
  readonly #connections: Pick<GitConnections, 'token' | 'isShared'>;
  readonly #dispatcher: Dispatcher;
  readonly #clock: Clock;
  readonly #cache: ResponseCache;
  readonly #kept = new Map<string, { readonly name: string; readonly host: GitHost }>();

  constructor(options: {
    readonly connections: Pick<GitConnections, 'token' | 'isShared'>;
    readonly dispatcher: Dispatcher;
    readonly clock: Clock;
    readonly cache?: ResponseCache;
  }) {
    this.#connections = options.connections;
    this.#dispatcher = options.dispatcher;
    this.#clock = options.clock;
    this.#cache = options.cache ?? new ResponseCache();
  }

  /** For requests about one repository. Undefined: the host has no API that is known. */
  of(connection: GitConnectionRow, repository: string): GitHost | undefined {
    const connections = this.#connections;
    const { id, kind, host: name, updated_at } = connection;
    // Each repository has a token of its own.
    const isShared = connections.isShared(connection);
    const key = isShared ? `${id} ${repository}` : `${id} ${updated_at.toISOString()}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known.host;
    const host = this.open(kind, name, () => connections.token(connection, repository, 'write'));
    if (host === undefined) return undefined;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, { name, host });
    return host;
  }

  /** Later reads from this host ask it again. */
  refresh(name: string): void {
    for (const kept of this.#kept.values()) if (kept.name === name) kept.host.refresh();
  }

  open(kind: GitHostKind, host: string, token: () => Promise<string>): GitHost | undefined {
    if (kind === 'other') return undefined;
    const api = new ApiClient({
      host,
      baseUrl: kind === 'github' ? githubUrls(host).api : gitlabUrl(host),
      accept: kind === 'github' ? 'application/vnd.github+json' : 'application/json',
      authorization: async () => `Bearer ${await token()}`,
      dispatcher: this.#dispatcher,
      clock: this.#clock,
      cache: this.#cache,
    });
    return kind === 'github' ? new GitHub(api, host) : new GitLab(api, host);
  }
}

import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Clock } from '@chatd/loop';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { Refused } from '../../chat/refused.ts';
import { knownSecrets } from '../../secrets/secret-values.ts';
import { ApiClient } from '../hosts/api-client.ts';
import { githubUrls } from '../hosts/github.ts';
import { ResponseCache } from '../hosts/response-cache.ts';
import { appAssertion } from './app-assertion.ts';

/** From the settings of the deployment. */
export interface GitHubAppOptions {
  readonly appId: string;
  /** In PEM format. */
  readonly privateKey: string;
  readonly host: string;
  /** What all users of the deployment reach with it: `owner/name`, or `owner/*`. */
  readonly repositories: readonly string[];
}

/** What a token is for. */
export type TokenAccess = 'read' | 'write';

const Installation = z.object({
  id: z.int(),
  suspended_at: z.string().nullish(),
  permissions: z.record(z.string(), z.string()),
});
const Token = z.object({ token: z.string().min(8), expires_at: z.iso.datetime({ offset: true }) });

type Level = 'read' | 'write';
const WANTED: Readonly<Record<TokenAccess, Readonly<Record<string, Level>>>> = {
  read: { contents: 'read' },
  write: { contents: 'write', pull_requests: 'write', checks: 'read', statuses: 'read' },
};
/** A token is not used for a request that it may not outlive. */
const MARGIN_MS = 10 * 60_000;
const MAX_KEPT = 1000;

interface KeptToken {
  readonly token: string;
  readonly until: number;
}

/** Tokens of the deployment's GitHub App, each for one repository. GitHub ends them after an hour. */
export class GitHubApp {
  readonly host: string;
  readonly repositories: readonly string[];
  readonly #appId: string;
  readonly #key: KeyObject;
  readonly #clock: Clock;
  readonly #api: ApiClient;
  readonly #kept = new Map<string, KeptToken>();
  /** All tokens that may be valid. */
  #minted: { readonly token: string; readonly expires: number }[] = [];
  readonly #open = new Map<string, Promise<KeptToken>>();

  constructor(options: GitHubAppOptions, dispatcher: Dispatcher, clock: Clock) {
    const { appId, privateKey, host, repositories } = options;
    this.host = host;
    this.repositories = repositories;
    this.#appId = appId;
    this.#key = createPrivateKey(privateKey);
    this.#clock = clock;
    this.#api = new ApiClient({
      host,
      baseUrl: githubUrls(host).api,
      accept: 'application/vnd.github+json',
      authorization: () =>
        Promise.resolve(`Bearer ${appAssertion(this.#appId, this.#key, clock.now())}`),
      dispatcher,
      clock,
      cache: new ResponseCache(),
    });
  }

  /** The prefixes of repositories that git reaches with it: hosts with an owner. */
  get routes(): readonly string[] {
    const owners = this.repositories.map((pattern) => pattern.slice(0, pattern.lastIndexOf('/')));
    return [...new Set(owners)].map((owner) => `${this.host}/${owner}`);
  }

  async token(repository: string, access: TokenAccess): Promise<string> {
    const key = `${access} ${repository.toLowerCase()}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#clock.now() < kept.until) return kept.token;
    const open =
      this.#open.get(key) ?? this.#mint(repository, access).finally(() => this.#open.delete(key));
    this.#open.set(key, open);
    const minted = await open;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, minted);
    return minted.token;
  }

  /** After the host has refused a token: the installation may have changed. */
  forget(repository: string): void {
    for (const access of Object.keys(WANTED))
      this.#kept.delete(`${access} ${repository.toLowerCase()}`);
    this.#api.refresh();
  }

  async #mint(repository: string, access: TokenAccess): Promise<KeptToken> {
    const { id, suspended_at, permissions } = await this.#installation(repository);
    if (typeof suspended_at === 'string') throw this.#unavailable(repository, 'is suspended');
    const name = repository.slice(repository.lastIndexOf('/') + 1);
    const asked = { repositories: [name], permissions: grantable(WANTED[access], permissions) };
    const path = `/app/installations/${id}/access_tokens`;
    const { token, expires_at } = await this.#api.post(path, asked, Token);
    const expires = Date.parse(expires_at);
    this.#register(token, expires);
    return { token, until: expires - MARGIN_MS };
  }

  #register(token: string, expires: number): void {
    knownSecrets.add(token);
    const now = this.#clock.now();
    knownSecrets.remove(this.#minted.filter((one) => one.expires < now).map((one) => one.token));
    this.#minted = [...this.#minted.filter((one) => one.expires >= now), { token, expires }];
  }

  async #installation(repository: string): Promise<z.output<typeof Installation>> {
    const found = await this.#api.getIfAllowed(`/repos/${repository}/installation`, Installation);
    if (found !== undefined) return found;
    throw this.#unavailable(repository, 'is not installed');
  }

  #unavailable(repository: string, why: string): Refused {
    return new Refused(
      'git_not_connected',
      `The GitHub App of this deployment ${why} on ${repository}. Install it there, or connect ${this.host} with a token of your own under Settings → Git.`,
    );
  }
}

/** GitHub refuses to grant more than the installation has. */
function grantable(
  wanted: Readonly<Record<string, Level>>,
  granted: Readonly<Record<string, string>>,
): Record<string, Level> {
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([name, level]): [string, Level][] => {
      const given = granted[name];
      if (given === undefined) return [];
      return [[name, level === 'write' && given !== 'read' ? 'write' : 'read']];
    }),
  );
}

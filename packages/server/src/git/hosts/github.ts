import type { GitPullRequest } from '@chatd/protocol';
import { z } from 'zod';
import type { ApiClient } from './api-client.ts';
import type { GitHost, HostAccount, NewPullRequest } from './git-host.ts';

export const githubUrls = (host: string): { api: string; graphql: string } =>
  host === 'github.com'
    ? { api: 'https://api.github.com', graphql: 'https://api.github.com/graphql' }
    : { api: `https://${host}/api/v3`, graphql: `https://${host}/api/graphql` };

const User = z.object({ login: z.string(), id: z.int(), name: z.string().nullish() });
const Repository = z.object({ default_branch: z.string() });
const Pull = z.object({
  number: z.int(),
  html_url: z.string(),
  title: z.string(),
  state: z.enum(['open', 'closed']),
  draft: z.boolean().nullish(),
  merged_at: z.string().nullish(),
  base: z.object({ ref: z.string() }),
  head: z.object({ sha: z.string() }),
});
const CheckRuns = z.object({
  check_runs: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullish(),
      html_url: z.string().nullish(),
    }),
  ),
});
const Status = z.object({
  statuses: z.array(
    z.object({ context: z.string(), state: z.string(), target_url: z.string().nullish() }),
  ),
});
const Review = z.object({
  user: z.object({ login: z.string() }).nullish(),
  state: z.string(),
});
const Threads = z.object({
  data: z.object({
    repository: z.object({
      pullRequest: z.object({
        reviewThreads: z.object({
          nodes: z.array(
            z.object({
              isResolved: z.boolean(),
              path: z.string().nullish(),
              line: z.int().nullish(),
              comments: z.object({
                nodes: z.array(
                  z.object({
                    author: z.object({ login: z.string() }).nullish(),
                    body: z.string(),
                    url: z.string(),
                  }),
                ),
              }),
            }),
          ),
        }),
      }),
    }),
  }),
});
/** REST does not say which comments are resolved. */
const THREADS_QUERY = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100) {
        nodes { isResolved path line comments(first: 20) { nodes { author { login } body url } } }
      }
    }
  }
}`;

type Check = GitPullRequest['checks'][number];

const NEUTRAL = new Set(['neutral', 'skipped', 'stale']);

export class GitHub implements GitHost {
  readonly #api: ApiClient;
  readonly #host: string;

  constructor(api: ApiClient, host: string) {
    this.#api = api;
    this.#host = host;
  }

  async account(): Promise<HostAccount> {
    const { login, id, name } = await this.#api.get('/user', User);
    const domain = this.#host === 'github.com' ? 'github.com' : this.#host.replace(/:\d+$/, '');
    const email = `${id}+${login}@users.noreply.${domain}`;
    return { login, name: name ?? login, email };
  }

  async defaultBranch(repository: string): Promise<string> {
    return (await this.#api.get(`/repos/${repository}`, Repository)).default_branch;
  }

  async find(repository: string, branch: string): Promise<GitPullRequest | undefined> {
    const [owner = ''] = repository.split('/');
    const query = new URLSearchParams({ head: `${owner}:${branch}`, state: 'all', per_page: '20' });
    const pulls = await this.#api.get(
      `/repos/${repository}/pulls?${query.toString()}`,
      z.array(Pull),
    );
    const pull = pulls.find(({ state }) => state === 'open') ?? pulls[0];
    if (pull === undefined) return undefined;
    const isOpen = pull.state === 'open';
    const [checks, reviews, comments] = await Promise.all([
      this.#checks(repository, pull.head.sha),
      this.#reviews(repository, pull.number),
      isOpen ? this.#comments(repository, pull.number) : [],
    ]);
    return { ...present(pull), checks, reviews, comments };
  }

  async create(repository: string, wanted: NewPullRequest): Promise<GitPullRequest> {
    const { branch: head, base, title, body, draft } = wanted;
    const asked = { head, base, title, body, draft };
    return present(await this.#api.post(`/repos/${repository}/pulls`, asked, Pull));
  }

  refresh(): void {
    this.#api.refresh();
  }

  async #checks(repository: string, sha: string): Promise<Check[]> {
    const at = `/repos/${repository}/commits/${sha}`;
    // Many tokens may not read one of them.
    const [runs, combined] = await Promise.all([
      this.#api.getIfAllowed(`${at}/check-runs?per_page=100`, CheckRuns),
      this.#api.getIfAllowed(`${at}/status?per_page=100`, Status),
    ]);
    const { check_runs = [] } = runs ?? {};
    const { statuses = [] } = combined ?? {};
    return [
      ...check_runs.map(({ name, status, conclusion, html_url }): Check => ({
        name,
        status: status === 'completed' ? outcomeOf(conclusion ?? 'neutral') : 'pending',
        url: html_url ?? null,
      })),
      ...statuses.map(({ context, state, target_url }): Check => ({
        name: context,
        status: state === 'pending' ? 'pending' : outcomeOf(state),
        url: target_url ?? null,
      })),
    ];
  }

  /** The last decision of each reviewer. */
  async #reviews(repository: string, number: number): Promise<GitPullRequest['reviews']> {
    const path = `/repos/${repository}/pulls/${number}/reviews?per_page=100`;
    const all = await this.#api.list(path, z.array(Review));
    const last = new Map<string, GitPullRequest['reviews'][number]>();
    for (const { user, state } of all) {
      const author = user?.login ?? 'ghost';
      const decision = state.toLowerCase();
      if (decision === 'dismissed') last.delete(author);
      else if (decision === 'approved' || decision === 'changes_requested')
        last.set(author, { author, decision });
      else if (decision === 'commented' && !last.has(author))
        last.set(author, { author, decision });
    }
    return [...last.values()];
  }

  async #comments(repository: string, number: number): Promise<GitPullRequest['comments']> {
    const [owner = '', name = ''] = repository.split('/');
    const asked = { query: THREADS_QUERY, variables: { owner, name, number } };
    const { data } = await this.#api.query(githubUrls(this.#host).graphql, asked, Threads);
    return data.repository.pullRequest.reviewThreads.nodes
      .filter(({ isResolved }) => !isResolved)
      .flatMap(({ path, line, comments }) =>
        comments.nodes.map(({ author, body, url }) => ({
          author: author?.login ?? 'ghost',
          path: path ?? null,
          line: line ?? null,
          body,
          url,
        })),
      );
  }
}

const present = (pull: z.output<typeof Pull>): GitPullRequest => ({
  number: pull.number,
  url: pull.html_url,
  title: pull.title,
  state: pull.state === 'open' ? 'open' : pull.merged_at ? 'merged' : 'closed',
  draft: pull.draft === true,
  base: pull.base.ref,
  checks: [],
  reviews: [],
  comments: [],
});

const outcomeOf = (conclusion: string): Check['status'] =>
  conclusion === 'success' ? 'success' : NEUTRAL.has(conclusion) ? 'neutral' : 'failure';

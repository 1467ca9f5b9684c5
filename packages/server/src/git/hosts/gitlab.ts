import type { GitPullRequest } from '@chatd/protocol';
import { z } from 'zod';
import type { ApiClient } from './api-client.ts';
import type { GitHost, HostAccount, NewPullRequest } from './git-host.ts';

export const gitlabUrl = (host: string): string => `https://${host}/api/v4`;

const User = z.object({
  username: z.string(),
  id: z.int(),
  name: z.string(),
  commit_email: z.string().nullish(),
});
const Project = z.object({ default_branch: z.string() });
const MergeRequest = z.object({
  iid: z.int(),
  web_url: z.string(),
  title: z.string(),
  state: z.string(),
  draft: z.boolean(),
  target_branch: z.string(),
  source_project_id: z.int().nullable(),
  target_project_id: z.int(),
});
const WithPipeline = z.object({ head_pipeline: z.object({ id: z.int() }).nullish() });
const Job = z.object({
  name: z.string(),
  status: z.string(),
  allow_failure: z.boolean().nullish(),
  web_url: z.string().nullish(),
});
const Approvals = z.object({
  approved_by: z.array(z.object({ user: z.object({ username: z.string() }) })),
});
const Discussion = z.object({
  notes: z.array(
    z.object({
      id: z.int(),
      body: z.string(),
      resolvable: z.boolean(),
      resolved: z.boolean().nullish(),
      author: z.object({ username: z.string() }),
      position: z.object({ new_path: z.string().nullish(), new_line: z.int().nullish() }).nullish(),
    }),
  ),
});

const STATES: Readonly<Record<string, GitPullRequest['state']>> = {
  opened: 'open',
  locked: 'open',
  merged: 'merged',
};
const FAILED = new Set(['failed', 'canceled']);
const NEUTRAL = new Set(['skipped', 'manual']);

export class GitLab implements GitHost {
  readonly #api: ApiClient;
  readonly #host: string;

  constructor(api: ApiClient, host: string) {
    this.#api = api;
    this.#host = host;
  }

  async account(): Promise<HostAccount> {
    const { username, id, name, commit_email } = await this.#api.get('/user', User);
    const domain = this.#host.replace(/:\d+$/, '');
    const email = commit_email || `${id}-${username}@users.noreply.${domain}`;
    return { login: username, name, email };
  }

  async defaultBranch(repository: string): Promise<string> {
    return (await this.#api.get(at(repository), Project)).default_branch;
  }

  async find(repository: string, branch: string): Promise<GitPullRequest | undefined> {
    const query = new URLSearchParams({ source_branch: branch, state: 'all', per_page: '20' });
    const all = await this.#api.get(
      `${at(repository)}/merge_requests?${query.toString()}`,
      z.array(MergeRequest),
    );
    // Forks can have a branch of the same name.
    const own = all.filter((one) => one.source_project_id === one.target_project_id);
    const found = own.find((one) => present(one).state === 'open') ?? own[0];
    if (found === undefined) return undefined;
    const path = `${at(repository)}/merge_requests/${found.iid}`;
    const isOpen = present(found).state === 'open';
    const [checks, { approved_by }, comments] = await Promise.all([
      this.#checks(repository, path),
      this.#api.get(`${path}/approvals`, Approvals),
      isOpen ? this.#comments(path, found.web_url) : [],
    ]);
    return {
      ...present(found),
      checks,
      reviews: approved_by.map(({ user }) => ({ author: user.username, decision: 'approved' })),
      comments,
    };
  }

  async create(repository: string, wanted: NewPullRequest): Promise<GitPullRequest> {
    const { branch, base, title, body, draft } = wanted;
    const asked = {
      source_branch: branch,
      target_branch: base,
      title: draft ? `Draft: ${title}` : title,
      description: body,
    };
    return present(await this.#api.post(`${at(repository)}/merge_requests`, asked, MergeRequest));
  }

  refresh(): void {
    this.#api.refresh();
  }

  async #checks(repository: string, path: string): Promise<GitPullRequest['checks']> {
    const { head_pipeline } = await this.#api.get(path, WithPipeline);
    if (head_pipeline === null || head_pipeline === undefined) return [];
    const jobs = `${at(repository)}/pipelines/${head_pipeline.id}/jobs?per_page=100`;
    return (await this.#api.list(jobs, z.array(Job))).map((job) => ({
      name: job.name,
      status: outcomeOf(job.status, job.allow_failure === true),
      url: job.web_url ?? null,
    }));
  }

  async #comments(path: string, url: string): Promise<GitPullRequest['comments']> {
    const all = await this.#api.list(`${path}/discussions?per_page=100`, z.array(Discussion));
    return all
      .map(({ notes }) => notes.filter(({ resolvable }) => resolvable))
      .filter((notes) => notes.some(({ resolved }) => resolved !== true))
      .flat()
      .map(({ id, body, author, position }) => ({
        author: author.username,
        path: position?.new_path ?? null,
        line: position?.new_line ?? null,
        body,
        url: `${url}#note_${id}`,
      }));
  }
}

const present = (found: z.output<typeof MergeRequest>): GitPullRequest => ({
  number: found.iid,
  url: found.web_url,
  title: found.title,
  state: STATES[found.state] ?? 'closed',
  draft: found.draft,
  base: found.target_branch,
  checks: [],
  reviews: [],
  comments: [],
});

const at = (repository: string) => `/projects/${encodeURIComponent(repository)}`;

function outcomeOf(status: string, mayFail: boolean): GitPullRequest['checks'][number]['status'] {
  if (status === 'success') return 'success';
  if (NEUTRAL.has(status) || (FAILED.has(status) && mayFail)) return 'neutral';
  return FAILED.has(status) ? 'failure' : 'pending';
}

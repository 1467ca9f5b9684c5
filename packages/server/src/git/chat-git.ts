import type {
  ChatGit as ChatGitStatus,
  GitPullRequest,
  GitRepository,
  ProblemCode,
} from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import type { HostedWorkspace } from '../machine/machine.ts';
import {
  allowGitPush,
  endGitPush,
  type GitConnectionRow,
  type GitPush,
} from '../store/queries/git.ts';
import type { Queryable } from '../store/statement.ts';
import type { WorkspaceRow } from '../store/workspaces.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import type { GitChanges } from './changes.ts';
import type { GitConnections } from './connections.ts';
import type { GitHost } from './hosts/git-host.ts';
import type { GitHosts } from './hosts/git-hosts.ts';
import { allowsRepository } from './proxy/git-request.ts';
import { branchOf } from './repository/branch-name.ts';
import { commitTo, pushCommit } from './repository/push-branch.ts';
import { type LocalRepository, readRepositories } from './repository/read-repositories.ts';
import type { Remote } from './repository/remote.ts';

export interface ChatGitOptions {
  readonly database: Queryable;
  readonly workspaces: Pick<Workspaces, 'use' | 'visit' | 'hold'>;
  readonly connections: GitConnections;
  readonly hosts: GitHosts;
  readonly changes: Pick<GitChanges, 'shown' | 'wait'>;
}

/** A chat and its workspace. */
export interface GitChat {
  readonly chat: { readonly id: string; readonly title: string | null };
  readonly workspace: WorkspaceRow;
}

export interface PushRequest {
  readonly path?: string | undefined;
  readonly branch?: string | undefined;
  readonly message?: string | undefined;
  /** Refuses if the remote is another one: `HOST/REPOSITORY`. */
  readonly destination?: string | undefined;
}

export interface PullRequestRequest {
  readonly path?: string | undefined;
  readonly title: string;
  readonly body?: string | undefined;
  readonly base?: string | undefined;
  readonly draft?: boolean | undefined;
  readonly destination?: string | undefined;
}

const READ_MS = 30_000;
const PUSH_MS = 5 * 60_000;
/** How long the proxy lets the push through. */
const PUSH_SECONDS = PUSH_MS / 1000;

/** The repositories in the workspaces of chats: their state, pushes, and pull requests. */
export class ChatGit {
  readonly #options: ChatGitOptions;

  constructor(options: ChatGitOptions) {
    this.#options = options;
  }

  async status(of: GitChat): Promise<ChatGitStatus> {
    const { workspace } = of;
    const found = await this.#options.workspaces.visit(workspace, read);
    const repositories = await Promise.all(found.map((one) => this.#present(of, one)));
    return { workspace_id: workspace.id, repositories };
  }

  /** Whether the host has reported a change of a repository of the chat, which `status` has shown, within the time. */
  async wait({ workspace }: GitChat, ms: number): Promise<boolean> {
    return await this.#options.changes.wait(workspace.id, ms);
  }

  async push(of: GitChat, wanted: PushRequest, signal?: AbortSignal): Promise<GitRepository> {
    const { workspaces } = this.#options;
    const workspace = await workspaces.use(of.workspace.id);
    const release = workspaces.hold(of.workspace.id);
    try {
      return await withinTime(
        { ms: PUSH_MS, code: 'git_push_failed', signal },
        async (limit) => await this.#push(of, workspace, wanted, limit),
      );
    } finally {
      release();
    }
  }

  async #push(
    of: GitChat,
    workspace: HostedWorkspace,
    wanted: PushRequest,
    limit: AbortSignal,
  ): Promise<GitRepository> {
    const { database, hosts } = this.#options;
    const repository = picked(await readRepositories(workspace, limit), wanted.path);
    const { remote, connection } = await this.#connected(of.workspace, repository, wanted);
    const branch = wanted.branch ?? suggestedBranch(of, repository);
    const main =
      (await hosts.of(connection, remote.repository)?.defaultBranch(remote.repository)) ??
      repository.defaultBranch;
    if (branch === main)
      throw new Refused(
        'git_push_failed',
        `${branch} is the default branch of ${remote.repository}. Push another branch, and open a pull request.`,
      );
    const { path } = repository;
    const author = { name: connection.author_name, email: connection.author_email };
    const { message } = wanted;
    const commit = await commitTo(workspace, { path, branch }, { message, author }, limit);
    const push: GitPush = {
      workspace_id: of.workspace.id,
      host: remote.host,
      repository: remote.repository.toLowerCase(),
      ref: `refs/heads/${branch}`,
      commit,
    };
    await database.query(allowGitPush, { ...push, seconds: PUSH_SECONDS });
    try {
      await pushCommit(workspace, { path, branch, commit }, limit);
    } finally {
      await database.query(endGitPush, push);
    }
    return await this.#present(of, picked(await readRepositories(workspace, limit), path));
  }

  /** Returns the open pull request of the branch if there is one. */
  async openPullRequest(of: GitChat, wanted: PullRequestRequest): Promise<GitPullRequest> {
    const repository = picked(
      await this.#options.workspaces.visit(of.workspace, read),
      wanted.path,
    );
    const { remote, connection } = await this.#connected(of.workspace, repository, wanted);
    const host = this.#options.hosts.of(connection, remote.repository);
    if (host === undefined)
      throw new Refused(
        'git_host_refused',
        `${remote.host} is connected without an API for pull requests. Connect it as github or gitlab.`,
      );
    const { branch } = repository;
    if (branch === null || !repository.pushed)
      throw new Refused('git_host_refused', 'The branch is not pushed yet. Push it first.');
    const found = () => openOne(host, remote.repository, branch);
    const before = await found();
    if (before !== undefined) return before;
    const base = wanted.base ?? (await host.defaultBranch(remote.repository));
    const { title, body = '', draft = false } = wanted;
    try {
      return await host.create(remote.repository, { branch, base, title, body, draft });
    } catch (error) {
      // Another request may have opened one meanwhile, or the response to this one was lost.
      const after = await found().catch(() => undefined);
      if (after !== undefined) return after;
      throw error;
    }
  }

  async #connected(
    { owner_id }: WorkspaceRow,
    { path, remote }: LocalRepository,
    { destination }: { readonly destination?: string | undefined },
  ): Promise<{ remote: Remote; connection: GitConnectionRow }> {
    if (remote === undefined)
      throw new Refused(
        'git_not_connected',
        `The repository ${path} has no remote named origin with an HTTPS or SSH URL. Add one.`,
      );
    const actual = `${remote.host}/${remote.repository}`;
    if (destination !== undefined && destination.toLowerCase() !== actual.toLowerCase())
      throw new Refused(
        'unknown_repository',
        `The remote origin of ${path} is ${actual}, not ${destination}.`,
      );
    const connection = await this.#options.connections.find(owner_id, remote.host);
    if (connection === undefined)
      throw new Refused(
        'git_not_connected',
        `${remote.host} is not connected. Connect it under Settings → Git, or with: chatd git connect ${remote.host}`,
      );
    this.#requireAllowed(connection, remote);
    return { remote, connection };
  }

  async #present(of: GitChat, repository: LocalRepository): Promise<GitRepository> {
    const { path, branch, head, pushed, ahead, behind, uncommitted, remote } = repository;
    const connection =
      remote && (await this.#options.connections.find(of.workspace.owner_id, remote.host));
    const { pull_request, problem } = await this.#pullRequest(connection, repository);
    if (remote !== undefined && connection !== undefined && problem === null)
      this.#options.changes.shown(of.workspace.id, remote);
    return {
      path,
      branch,
      default_branch: repository.defaultBranch,
      suggested_branch: suggestedBranch(of, repository),
      head,
      pushed,
      ahead,
      behind,
      uncommitted,
      remote: remote === undefined ? null : { ...remote, connection: connection?.kind ?? null },
      pull_request,
      problem,
    };
  }

  /** Also for requests to the API: programs in the workspace choose the remote. */
  #requireAllowed(connection: GitConnectionRow, { repository }: Remote): void {
    const { host, repositories } = connection;
    if (allowsRepository(repositories, repository)) return;
    throw new Refused(
      'git_not_connected',
      this.#options.connections.isShared(connection)
        ? `The GitHub App of this deployment does not allow the repository ${repository}. Connect ${host} under Settings → Git.`
        : `The connection to ${host} does not allow the repository ${repository}. Connect ${host} again with this repository.`,
    );
  }

  /** Also a token that cannot be decrypted is a problem of the pull request only. */
  async #pullRequest(
    connection: GitConnectionRow | undefined,
    { branch, pushed, remote }: LocalRepository,
  ): Promise<Pick<GitRepository, 'pull_request' | 'problem'>> {
    if (connection === undefined || remote === undefined || branch === null || !pushed)
      return { pull_request: null, problem: null };
    try {
      this.#requireAllowed(connection, remote);
      const host = this.#options.hosts.of(connection, remote.repository);
      return { pull_request: (await host?.find(remote.repository, branch)) ?? null, problem: null };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { pull_request: null, problem: error.message };
    }
  }
}

/** As of now: a killed replica may have opened one after the last look. */
async function openOne(
  host: GitHost,
  repository: string,
  branch: string,
): Promise<GitPullRequest | undefined> {
  host.refresh();
  const found = await host.find(repository, branch);
  return found?.state === 'open' ? found : undefined;
}

const read = (workspace: HostedWorkspace): Promise<LocalRepository[]> =>
  withinTime({ ms: READ_MS, code: 'workspace_not_ready' }, async (limit) =>
    readRepositories(workspace, limit),
  );

/** A repository can make git run forever. */
async function withinTime<T>(
  {
    ms,
    code,
    signal,
  }: { readonly ms: number; readonly code: ProblemCode; readonly signal?: AbortSignal | undefined },
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(ms);
  try {
    return await work(signal === undefined ? limit : AbortSignal.any([signal, limit]));
  } catch (error) {
    if (error !== limit.reason) throw error;
    throw new Refused(code, `git did not finish in the workspace within ${ms / 1000} seconds.`);
  }
}

function picked(all: readonly LocalRepository[], path: string | undefined): LocalRepository {
  const [first] = all;
  const found =
    path === undefined && all.length === 1 ? first : all.find((one) => one.path === path);
  if (found !== undefined) return found;
  const paths = all.map((one) => one.path).join(', ');
  throw new Refused(
    'unknown_repository',
    all.length === 0
      ? 'The workspace has no git repository.'
      : `path must be one of the repositories of the workspace: ${paths}`,
  );
}

/** The current branch, unless it is the default branch: then the branch of the chat. */
const suggestedBranch = ({ chat }: GitChat, { branch, defaultBranch }: LocalRepository): string =>
  branch === null || branch === defaultBranch ? branchOf(chat) : branch;

import { execFile } from 'node:child_process';
import { access, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeRepository } from '../workspaces/repository.ts';

const run = promisify(execFile);

export interface TestPullRequest {
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
  /** Its branch is in a fork. */
  isFromFork?: boolean;
  state: 'open' | 'merged' | 'closed';
  checks: { readonly name: string; readonly conclusion: string | null }[];
  reviews: { readonly author: string; readonly state: string }[];
  threads: {
    readonly isResolved: boolean;
    readonly path: string;
    readonly line: number;
    readonly comments: { readonly author: string; readonly body: string }[];
  }[];
}

type NewPullRequest = Pick<TestPullRequest, 'branch' | 'base' | 'title' | 'body' | 'draft'>;

/** Bare repositories in a directory, and their pull requests. */
export class TestRepositories {
  readonly root: string;
  /** The checks, reviews, and threads of new pull requests. */
  reaction: Pick<TestPullRequest, 'checks' | 'reviews' | 'threads'> = {
    checks: [],
    reviews: [],
    threads: [],
  };
  readonly #pulls = new Map<string, TestPullRequest[]>();

  constructor(root: string) {
    this.root = root;
  }

  async create(name: string, files: Readonly<Record<string, string>>): Promise<void> {
    const draft = join(this.root, 'drafts', name);
    await makeRepository(draft, files);
    const path = join(this.root, `${name}.git`);
    await mkdir(dirname(path), { recursive: true });
    await run('git', ['clone', '--quiet', '--bare', draft, path]);
    await rm(draft, { recursive: true });
  }

  async has(name: string): Promise<boolean> {
    return await access(join(this.root, `${name}.git`)).then(
      () => true,
      () => false,
    );
  }

  /** Undefined if the branch does not exist. */
  async commit(name: string, branch: string): Promise<string | undefined> {
    return await this.git(name, 'rev-parse', '--verify', `refs/heads/${branch}`).catch(
      () => undefined,
    );
  }

  async git(name: string, ...args: string[]): Promise<string> {
    const { stdout } = await run('git', args, { cwd: join(this.root, `${name}.git`) });
    return stdout.trim();
  }

  pulls(name: string): TestPullRequest[] {
    const pulls = this.#pulls.get(name) ?? [];
    this.#pulls.set(name, pulls);
    return pulls;
  }

  open(name: string, wanted: NewPullRequest): TestPullRequest {
    const pulls = this.pulls(name);
    const pull: TestPullRequest = {
      ...wanted,
      number: pulls.length + 1,
      state: 'open',
      ...this.reaction,
    };
    pulls.push(pull);
    return pull;
  }
}

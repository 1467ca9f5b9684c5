import type { GitPullRequest } from '@chatd/protocol';

/** The account that a token belongs to. */
export interface HostAccount {
  readonly login: string;
  readonly name: string;
  /** For commits. */
  readonly email: string;
}

export interface NewPullRequest {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
}

/** The API of a git host, with the token of one connection. All methods throw `Refused`. */
export interface GitHost {
  account(): Promise<HostAccount>;
  defaultBranch(repository: string): Promise<string>;
  /** The open pull request of a branch, else the newest. Undefined: none. */
  find(repository: string, branch: string): Promise<GitPullRequest | undefined>;
  /** Returns it as it is at first, without checks and reviews. */
  create(repository: string, wanted: NewPullRequest): Promise<GitPullRequest>;
  /** Later reads ask the host again. */
  refresh(): void;
}

import { GIT_CONNECTIONS_LIMIT, type GitHostKind, type Routes } from '@chatd/protocol';
import type { z } from 'zod';
import type { Caller } from '../../auth/caller.ts';
import { Refused } from '../../chat/refused.ts';
import type { Git } from '../../git/git.ts';
import type { HostAccount } from '../../git/hosts/git-host.ts';
import { withinQuota } from '../../limits/quota.ts';
import { NoMasterKey } from '../../secrets/vault.ts';
import {
  deleteGitConnection,
  type GitConnectionRow,
  putGitConnection,
} from '../../store/queries/git.ts';
import { onlyRow } from '../../store/statement.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';

type NewGitConnection = z.output<Routes['createGitConnection']['body']>;

const KNOWN: Readonly<Record<string, GitHostKind>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
};
/** What the hosts expect next to a token. */
const USERNAMES: Readonly<Record<GitHostKind, string>> = {
  github: 'x-access-token',
  gitlab: 'oauth2',
  other: 'git',
};

/** A connection to be stored. */
export interface PlannedConnection {
  readonly given: NewGitConnection;
  readonly kind: GitHostKind;
  readonly account: HostAccount | undefined;
}

export class GitConnectionCommands {
  readonly #git: Pick<Git, 'connections' | 'hosts'>;

  constructor(git: Pick<Git, 'connections' | 'hosts'>) {
    this.#git = git;
  }

  /** Verifies the token with the host. Not in a transaction, because the host may be slow. */
  async plan(given: NewGitConnection): Promise<PlannedConnection> {
    const { host, token } = given;
    const kind = given.kind ?? KNOWN[host] ?? 'other';
    const account = await this.#git.hosts.open(kind, host, () => Promise.resolve(token))?.account();
    return { given, kind, account };
  }

  async create(
    { user }: Caller,
    { given, kind, account }: PlannedConnection,
    tx: Transaction,
  ): Promise<GitConnectionRow> {
    const { connections } = this.#git;
    const { host, token, username = USERNAMES[kind], repositories = null } = given;
    const row = {
      id: uuidv7(),
      owner_id: user.id,
      kind,
      host,
      username,
      account: account?.login ?? null,
      author_name: account?.name ?? user.username,
      author_email: account?.email ?? `${user.username}@users.noreply.chatd.invalid`,
      repositories,
      secrets: this.#sealed(user.id, host, token),
    };
    const quota = { userId: user.id, of: 'git connections', most: GIT_CONNECTIONS_LIMIT } as const;
    const connection = onlyRow(await withinQuota(tx, quota, () => tx.query(putGitConnection, row)));
    tx.afterCommit(() => connections.changed(user.id));
    return connection;
  }

  async delete({ id, owner_id }: GitConnectionRow, tx: Transaction): Promise<void> {
    await tx.query(deleteGitConnection, { id });
    tx.afterCommit(() => this.#git.connections.changed(owner_id));
  }

  #sealed(ownerId: string, host: string, token: string): string {
    try {
      return this.#git.connections.seal(ownerId, host, token);
    } catch (error) {
      if (!(error instanceof NoMasterKey)) throw error;
      throw new Refused('secret_key_required', error.message);
    }
  }
}

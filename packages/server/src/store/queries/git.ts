import type { GitHostKind } from '@chatd/protocol';
import { statement } from '../statement.ts';

export interface GitConnectionRow {
  readonly id: string;
  readonly owner_id: string;
  readonly kind: GitHostKind;
  /** With a port, if it is not 443. */
  readonly host: string;
  /** For HTTP authentication. */
  readonly username: string;
  /** The name of the account at the host. Null: unknown. */
  readonly account: string | null;
  readonly author_name: string;
  readonly author_email: string;
  /** Null: all repositories that the token can access. */
  readonly repositories: readonly string[] | null;
  /** The encrypted token. */
  readonly secrets: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** What a ciphertext belongs to. */
export const gitSecretsOf = (ownerId: string, host: string): string =>
  `git-connection/${ownerId}/${host}`;

const COLUMNS = `id, owner_id, kind, host, username, account, author_name, author_email, repositories, secrets,
  created_at, updated_at`;

/** By the unique index of owner and host. */
export const listGitConnections = statement<{ owner_id: string }, GitConnectionRow>(
  'list-git-connections',
  `SELECT ${COLUMNS} FROM git_connections WHERE owner_id = :owner_id ORDER BY host`,
);

/** None of a suspended user. */
export const findGitConnection = statement<{ owner_id: string; host: string }, GitConnectionRow>(
  'find-git-connection',
  `SELECT ${COLUMNS} FROM git_connections
    WHERE owner_id = :owner_id AND host = :host
      AND EXISTS (SELECT FROM users WHERE users.id = :owner_id AND users.suspended_at IS NULL)`,
);

export const findActiveUser = statement<{ id: string }, { username: string }>(
  'find-active-user',
  `SELECT username FROM users WHERE id = :id AND suspended_at IS NULL`,
);

export const findOwnGitConnection = statement<{ id: string; owner_id: string }, GitConnectionRow>(
  'find-own-git-connection',
  `SELECT ${COLUMNS} FROM git_connections WHERE id = :id AND owner_id = :owner_id`,
);

/** A new connection replaces that of the same host. */
export const putGitConnection = statement<
  Omit<GitConnectionRow, 'created_at' | 'updated_at'>,
  GitConnectionRow
>(
  'put-git-connection',
  `INSERT INTO git_connections
     (id, owner_id, kind, host, username, account, author_name, author_email, repositories, secrets)
   VALUES (:id, :owner_id, :kind, :host, :username, :account, :author_name, :author_email, :repositories, :secrets)
   ON CONFLICT (owner_id, host) DO UPDATE
     SET kind = excluded.kind, username = excluded.username, account = excluded.account,
         author_name = excluded.author_name, author_email = excluded.author_email,
         repositories = excluded.repositories, secrets = excluded.secrets, updated_at = now()
   RETURNING ${COLUMNS}`,
);

export const countGitConnections = statement<{ user_id: string }, { count: number }>(
  'count-git-connections',
  `SELECT count(*) AS count FROM git_connections WHERE owner_id = :user_id`,
);

export const deleteGitConnection = statement<{ id: string }, never>(
  'delete-git-connection',
  `DELETE FROM git_connections WHERE id = :id`,
);

export const listSealedGit = statement<null, { owner_id: string; host: string; secrets: string }>(
  'list-sealed-git',
  `SELECT owner_id, host, secrets FROM git_connections`,
);

/** Unless it was changed meanwhile. */
export const resealGitConnection = statement<
  { owner_id: string; host: string; before: string; after: string },
  never
>(
  'reseal-git-connection',
  `UPDATE git_connections SET secrets = :after
    WHERE owner_id = :owner_id AND host = :host AND secrets = :before`,
);

export interface GitPush {
  readonly workspace_id: string;
  readonly host: string;
  readonly repository: string;
  readonly ref: string;
  readonly commit: string;
}

/** Also deletes what has expired. */
export const allowGitPush = statement<GitPush & { seconds: number }, never>(
  'allow-git-push',
  `WITH expired AS (DELETE FROM git_pushes WHERE expires_at < now() - interval '1 hour')
   INSERT INTO git_pushes (workspace_id, host, repository, ref, commit, expires_at)
   VALUES (:workspace_id, :host, :repository, :ref, :commit, now() + :seconds::integer * interval '1 second')
   ON CONFLICT (workspace_id, host, repository, ref)
     DO UPDATE SET commit = excluded.commit, expires_at = excluded.expires_at`,
);

export const allowedGitPushes = statement<
  { workspace_id: string; host: string; repository: string },
  { ref: string; commit: string }
>(
  'allowed-git-pushes',
  `SELECT ref, commit FROM git_pushes
    WHERE workspace_id = :workspace_id AND host = :host AND repository = :repository AND expires_at > now()`,
);

export const endGitPush = statement<GitPush, never>(
  'end-git-push',
  `DELETE FROM git_pushes
    WHERE workspace_id = :workspace_id AND host = :host AND repository = :repository AND ref = :ref
      AND commit = :commit`,
);

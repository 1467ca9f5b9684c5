import type { GitConnection } from '@chatd/protocol';
import type { GitConnectionRow } from '../../store/queries/git.ts';

export const presentGitConnection = (row: GitConnectionRow): GitConnection => ({
  id: row.id,
  kind: row.kind,
  host: row.host,
  username: row.username,
  account: row.account,
  repositories: row.repositories === null ? null : [...row.repositories],
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

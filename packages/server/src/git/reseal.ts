import type { Logger } from 'pino';
import { resealEach } from '../secrets/reseal-each.ts';
import type { Vault } from '../secrets/vault.ts';
import { gitSecretsOf, listSealedGit, resealGitConnection } from '../store/queries/git.ts';
import type { Queryable } from '../store/statement.ts';

/** Encrypts the tokens of git connections with the first key. */
export async function resealGit(db: Queryable, vault: Vault, log: Logger): Promise<void> {
  const rows = await db.query(listSealedGit);
  const { unreadable } = await resealEach(
    vault,
    rows.map(({ owner_id, host, secrets }) => ({
      secrets,
      row: gitSecretsOf(owner_id, host),
      write: (after) => db.query(resealGitConnection, { owner_id, host, before: secrets, after }),
    })),
  );
  if (unreadable === 0) return;
  log.error(
    { tokens: unreadable },
    'tokens of git connections cannot be decrypted: they were stored with another CHATD_SECRET_KEY; append that key after a comma, or connect the hosts again',
  );
}

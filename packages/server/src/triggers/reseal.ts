import type { Logger } from 'pino';
import { resealEach } from '../secrets/reseal-each.ts';
import type { Vault } from '../secrets/vault.ts';
import {
  listSealedTriggers,
  resealTrigger,
  triggerSecretsOf,
} from '../store/queries/triggers/triggers.ts';
import type { Queryable } from '../store/statement.ts';

/** Encrypts the secrets of triggers with the first key. Schedules have none. */
export async function resealTriggers(db: Queryable, vault: Vault, log: Logger): Promise<void> {
  const rows = await db.query(listSealedTriggers);
  const { unreadable } = await resealEach(
    vault,
    rows.flatMap(({ id, secrets }) =>
      secrets === null
        ? []
        : {
            secrets,
            row: triggerSecretsOf(id),
            write: (after: string) => db.query(resealTrigger, { id, before: secrets, after }),
          },
    ),
  );
  if (unreadable === 0) return;
  log.error(
    { triggers: unreadable },
    'secrets of triggers cannot be decrypted, so their webhooks refuse all requests: they were stored with another CHATD_SECRET_KEY; append that key after a comma, or replace the secrets',
  );
}

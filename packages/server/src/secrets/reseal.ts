import type { Logger } from 'pino';
import { providerSecretsOf, userKeyOf } from '../store/providers.ts';
import { listSealed, resealProvider } from '../store/queries/providers.ts';
import { resealUserKey } from '../store/queries/user-keys.ts';
import type { Queryable } from '../store/statement.ts';
import { resealEach } from './reseal-each.ts';
import type { Vault } from './vault.ts';

/** Encrypts the keys of providers with the first key. */
export async function reseal(db: Queryable, vault: Vault, log: Logger): Promise<void> {
  const rows = await db.query(listSealed);
  const { changed, unreadable } = await resealEach(
    vault,
    rows.map(({ provider_id, user_id, secrets }) =>
      user_id === null
        ? {
            secrets,
            row: providerSecretsOf(provider_id),
            write: (after) => db.query(resealProvider, { id: provider_id, before: secrets, after }),
          }
        : {
            secrets,
            row: userKeyOf(provider_id, user_id),
            write: (after) =>
              db.query(resealUserKey, { provider_id, user_id, before: secrets, after }),
          },
    ),
  );
  if (changed > 0) log.info({ keys: changed }, 'provider keys were encrypted with the new key');
  if (unreadable === 0) return;
  log.error(
    { keys: unreadable },
    'provider keys cannot be decrypted: they were stored with another CHATD_SECRET_KEY; append that key after a comma, or enter the provider keys again',
  );
}

import type { Logger } from 'pino';
import { providerSecretsOf, userKeyOf } from '../store/providers.ts';
import { listSealed, resealProvider } from '../store/queries/providers.ts';
import { resealUserKey } from '../store/queries/user-keys.ts';
import type { Queryable } from '../store/statement.ts';
import { UnreadableSecret, type Vault } from './vault.ts';

/**
 * Encrypts all stored secrets with the first key, so that the other keys can be removed. Secrets that cannot be
 * decrypted stay unchanged.
 */
export async function reseal(db: Queryable, vault: Vault, log: Logger): Promise<void> {
  const rows = await db.query(listSealed);
  let changed = 0;
  let unreadable = 0;
  for (const { provider_id, user_id, secrets } of rows) {
    if (vault.isCurrent(secrets)) continue;
    const row = user_id === null ? providerSecretsOf(provider_id) : userKeyOf(provider_id, user_id);
    try {
      const sealed = vault.seal(vault.open(secrets, row), row);
      await (user_id === null
        ? db.query(resealProvider, { id: provider_id, before: secrets, after: sealed })
        : db.query(resealUserKey, { provider_id, user_id, before: secrets, after: sealed }));
      changed += 1;
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      unreadable += 1;
    }
  }
  if (changed > 0) log.info({ keys: changed }, 'provider keys were encrypted with the new key');
  if (unreadable === 0) return;
  log.error(
    { keys: unreadable },
    'provider keys cannot be decrypted: they were stored with another CHATD_SECRET_KEY; append that key after a comma, or enter the provider keys again',
  );
}

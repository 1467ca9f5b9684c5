import type { Logger } from 'pino';
import { resealEach } from '../secrets/reseal-each.ts';
import type { Vault } from '../secrets/vault.ts';
import {
  listSealedPush,
  PUSH_KEY_ROW,
  pushSecretsOf,
  resealPush,
} from '../store/queries/outbox/push.ts';
import {
  listSealedWebhooks,
  resealWebhook,
  webhookSecretsOf,
} from '../store/queries/outbox/webhooks.ts';
import type { Queryable } from '../store/statement.ts';

/** Encrypts the secrets of webhooks and notifications with the first key. */
export async function resealTargets(db: Queryable, vault: Vault, log: Logger): Promise<void> {
  const webhooks = await db.query(listSealedWebhooks);
  const push = await db.query(listSealedPush);
  const { unreadable } = await resealEach(vault, [
    ...webhooks.map(({ id, secrets }) => ({
      secrets,
      row: webhookSecretsOf(id),
      write: (after: string) => db.query(resealWebhook, { id, before: secrets, after }),
    })),
    ...push.map(({ id, secrets }) => ({
      secrets,
      row: id === null ? PUSH_KEY_ROW : pushSecretsOf(id),
      write: (after: string) => db.query(resealPush, { id, before: secrets, after }),
    })),
  ]);
  if (unreadable === 0) return;
  log.error(
    { secrets: unreadable },
    'secrets of webhooks or notifications cannot be decrypted: they were stored with another CHATD_SECRET_KEY; append that key after a comma, or rotate the secrets of the webhooks and allow notifications again',
  );
}

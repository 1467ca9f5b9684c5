import type { WebhookEventType } from '@chatd/protocol';
import { statement } from '../../statement.ts';

export interface PushSubscriptionRow {
  readonly id: string;
  readonly user_id: string;
  /** Sealed for `pushSecretsOf`. */
  readonly secrets: string;
  readonly user_agent: string;
  readonly created_at: Date;
}

/** The row that its secrets are encrypted for. */
export const pushSecretsOf = (id: string): string => `push:${id}`;

/** What the private VAPID key is encrypted for. */
export const PUSH_KEY_ROW = 'push-key';

const SUBSCRIPTION_COLUMNS = 'id, user_id, secrets, user_agent, created_at';

/** `of_admin`: only those of admins may have a private address. */
export const findPushSubscription = statement<
  { id: string },
  { readonly id: string; readonly secrets: string; readonly of_admin: boolean }
>(
  'find-push-subscription',
  `SELECT push_subscriptions.id, push_subscriptions.secrets, users.role = 'admin' AS of_admin
     FROM push_subscriptions JOIN users ON users.id = user_id WHERE push_subscriptions.id = :id`,
);

export const findOwnPushSubscription = statement<
  { id: string; user_id: string },
  PushSubscriptionRow
>(
  'find-own-push-subscription',
  `SELECT ${SUBSCRIPTION_COLUMNS} FROM push_subscriptions WHERE id = :id AND user_id = :user_id`,
);

export const listPushSubscriptions = statement<{ user_id: string }, PushSubscriptionRow>(
  'list-push-subscriptions',
  `SELECT ${SUBSCRIPTION_COLUMNS} FROM push_subscriptions WHERE user_id = :user_id ORDER BY id`,
);

export const countPushSubscriptions = statement<{ user_id: string }, { count: number }>(
  'count-push-subscriptions',
  `SELECT count(*) AS count FROM push_subscriptions WHERE user_id = :user_id`,
);

/** A browser has one subscription: that of the user who subscribed last. The row that it had before is replaced. */
export const replacePushSubscription = statement<
  { id: string; user_id: string; endpoint_hash: Buffer; secrets: string; user_agent: string },
  PushSubscriptionRow
>(
  'replace-push-subscription',
  `INSERT INTO push_subscriptions (id, user_id, endpoint_hash, secrets, user_agent)
   VALUES (:id, :user_id, :endpoint_hash, :secrets, :user_agent)
   ON CONFLICT (endpoint_hash) DO UPDATE
     SET id = excluded.id, user_id = excluded.user_id, secrets = excluded.secrets, user_agent = excluded.user_agent,
         created_at = now()
   RETURNING ${SUBSCRIPTION_COLUMNS}`,
);

/** Its notifications go with it. */
export const deletePushSubscription = statement<{ id: string }, { id: string }>(
  'delete-push-subscription',
  `WITH events AS (DELETE FROM outbox WHERE target_id = :id)
   DELETE FROM push_subscriptions WHERE id = :id RETURNING id`,
);

export const readNotificationEvents = statement<
  { user_id: string },
  { events: readonly WebhookEventType[] }
>('read-notification-events', `SELECT events FROM notification_events WHERE user_id = :user_id`);

export const writeNotificationEvents = statement<
  { user_id: string; events: readonly string[] },
  never
>(
  'write-notification-events',
  `INSERT INTO notification_events (user_id, events) VALUES (:user_id, :events)
   ON CONFLICT (user_id) DO UPDATE SET events = excluded.events`,
);

export const readPushKeys = statement<null, { public_key: string; secrets: string }>(
  'read-push-keys',
  `SELECT public_key, secrets FROM push_keys`,
);

/** The first replica wins. */
export const insertPushKeys = statement<{ public_key: string; secrets: string }, never>(
  'insert-push-keys',
  `INSERT INTO push_keys (public_key, secrets) VALUES (:public_key, :secrets) ON CONFLICT DO NOTHING`,
);

export const listSealedPush = statement<null, { id: string | null; secrets: string }>(
  'list-sealed-push',
  `SELECT id, secrets FROM push_subscriptions UNION ALL SELECT NULL, secrets FROM push_keys`,
);

export const resealPush = statement<{ id: string | null; before: string; after: string }, never>(
  'reseal-push',
  `WITH keys AS (UPDATE push_keys SET secrets = :after WHERE :id::uuid IS NULL AND secrets = :before)
   UPDATE push_subscriptions SET secrets = :after WHERE id = :id AND secrets = :before`,
);

import type { WebhookEventType } from '@chatd/protocol';
import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';

export interface WebhookRow {
  readonly id: string;
  readonly owner_id: string;
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  readonly labels: Readonly<Record<string, string>>;
  readonly enabled: boolean;
  /** Sealed for `webhookSecretsOf`. */
  readonly secrets: string;
  readonly previous_until: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Where events are sent to, and when. */
export interface WebhookTarget {
  readonly id: string;
  readonly owner_id: string;
  readonly url: string;
  readonly secrets: string;
  /** Whether requests are also signed with the previous secret. */
  readonly has_previous: boolean | null;
  /** Only those of admins may have a private address. */
  readonly of_admin: boolean;
  readonly now: Date;
}

/** The row that its secrets are encrypted for. */
export const webhookSecretsOf = (id: string): string => `webhook:${id}`;

const WEBHOOK_COLUMNS =
  'id, owner_id, url, events, labels, enabled, secrets, previous_until, created_at, updated_at';

export const findOwnWebhook = statement<{ id: string; owner_id: string }, WebhookRow>(
  'find-own-webhook',
  `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE id = :id AND owner_id = :owner_id`,
);

/** Of any user. */
export const findWebhook = statement<{ id: string }, WebhookRow>(
  'find-webhook',
  `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE id = :id`,
);

/** With the clock of the database: receivers refuse signatures with a wrong time. */
export const readWebhookTarget = statement<{ id: string }, WebhookTarget>(
  'read-webhook-target',
  `SELECT webhooks.id, webhooks.owner_id, webhooks.url, webhooks.secrets, webhooks.previous_until > now() AS has_previous,
          users.role = 'admin' AS of_admin, now() AS now
     FROM webhooks JOIN users ON users.id = webhooks.owner_id WHERE webhooks.id = :id`,
);

/** Null: of all users. */
export const listWebhooks = statement<
  { owner_id: string | null; after_id: string | null; limit: number },
  WebhookRow
>(
  'list-webhooks',
  `SELECT ${WEBHOOK_COLUMNS} FROM webhooks
    WHERE (:owner_id::uuid IS NULL OR owner_id = :owner_id) AND (:after_id::uuid IS NULL OR id > :after_id)
    ORDER BY id
    LIMIT :limit`,
);

export const countWebhooks = statement<{ user_id: string }, { count: number }>(
  'count-webhooks',
  `SELECT count(*) AS count FROM webhooks WHERE owner_id = :user_id`,
);

export const insertWebhook = statement<
  {
    id: string;
    owner_id: string;
    url: string;
    events: readonly string[];
    labels: JsonText;
    enabled: boolean;
    secrets: string;
  },
  WebhookRow
>(
  'insert-webhook',
  `INSERT INTO webhooks (id, owner_id, url, events, labels, enabled, secrets)
   VALUES (:id, :owner_id, :url, :events, :labels, :enabled, :secrets)
   RETURNING ${WEBHOOK_COLUMNS}`,
);

/** Null: unchanged. */
export const updateWebhook = statement<
  {
    id: string;
    url: string | null;
    events: readonly string[] | null;
    labels: JsonText | null;
    enabled: boolean | null;
  },
  WebhookRow
>(
  'update-webhook',
  `UPDATE webhooks
      SET url = coalesce(:url::text, url), events = coalesce(:events::text[], events),
          labels = coalesce(:labels::jsonb, labels), enabled = coalesce(:enabled::boolean, enabled), updated_at = now()
    WHERE id = :id
   RETURNING ${WEBHOOK_COLUMNS}`,
);

/** Requests are signed with both secrets for a day. */
export const rotateWebhookSecret = statement<{ id: string; secrets: string }, WebhookRow>(
  'rotate-webhook-secret',
  `UPDATE webhooks SET secrets = :secrets, previous_until = now() + interval '24 hours', updated_at = now()
    WHERE id = :id
   RETURNING ${WEBHOOK_COLUMNS}`,
);

/** Its events go with it. */
export const deleteWebhook = statement<{ id: string }, { id: string }>(
  'delete-webhook',
  `WITH events AS (DELETE FROM outbox WHERE target_id = :id)
   DELETE FROM webhooks WHERE id = :id RETURNING id`,
);

/** The receiver has asked for no more requests. */
export const disableWebhook = statement<{ id: string }, never>(
  'disable-webhook',
  `UPDATE webhooks SET enabled = false, updated_at = now() WHERE id = :id`,
);

export const listSealedWebhooks = statement<null, { id: string; secrets: string }>(
  'list-sealed-webhooks',
  `SELECT id, secrets FROM webhooks`,
);

export const resealWebhook = statement<{ id: string; before: string; after: string }, never>(
  'reseal-webhook',
  `UPDATE webhooks SET secrets = :after WHERE id = :id AND secrets = :before`,
);

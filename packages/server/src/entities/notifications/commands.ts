import { createHash, ECDH } from 'node:crypto';
import {
  type Notifications,
  PUSH_SUBSCRIPTIONS_LIMIT,
  type PushSubscription,
  type Routes,
  type WebhookEventType,
} from '@chatd/protocol';
import type { z } from 'zod';
import { notFound, refusedField } from '../../chat/refused.ts';
import { withinQuota } from '../../limits/quota.ts';
import type { AllowPrivate } from '../../providers/fetch/guarded-agent.ts';
import type { Push } from '../../push/push.ts';
import { NoMasterKey, type Vault } from '../../secrets/vault.ts';
import {
  deletePushSubscription,
  listPushSubscriptions,
  pushSecretsOf,
  type PushSubscriptionRow,
  readNotificationEvents,
  replacePushSubscription,
  writeNotificationEvents,
} from '../../store/queries/outbox/push.ts';
import { onlyRow, type Queryable } from '../../store/statement.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';
import { checkTarget, sealOrRefuse, secretKeyRequired } from '../secrets-and-urls.ts';

type Switches = z.output<Routes['updateNotifications']['body']>;
type NewSubscription = z.output<Routes['createPushSubscription']['body']>;

/** The events behind each switch. */
const EVENTS = {
  needs_you: ['chat.requires_action'],
  finished: ['chat.waiting'],
  failed: ['chat.error', 'trigger.failed', 'trigger.disabled'],
} as const satisfies Record<string, readonly WebhookEventType[]>;
const SWITCHES = Object.keys(EVENTS) as (keyof typeof EVENTS)[];

interface NotificationCommandsOptions {
  readonly vault: Vault;
  readonly push: Pick<Push, 'publicKey'>;
  readonly allowPrivate: AllowPrivate;
  readonly outbox: { targetsChanged(): void };
}

export class NotificationCommands {
  readonly #options: NotificationCommandsOptions;

  constructor(options: NotificationCommandsOptions) {
    this.#options = options;
  }

  async read(user_id: string, db: Queryable): Promise<Notifications> {
    const public_key = await this.#publicKey();
    const events = await eventsOf(user_id, db);
    const rows = await db.query(listPushSubscriptions, { user_id });
    return {
      needs_you: isOn('needs_you', events),
      finished: isOn('finished', events),
      failed: isOn('failed', events),
      public_key,
      subscriptions: rows.map(presentPushSubscription),
    };
  }

  async update(user_id: string, switches: Switches, db: Queryable): Promise<Notifications> {
    const before = await eventsOf(user_id, db);
    const on = SWITCHES.filter((name) => switches[name] ?? isOn(name, before));
    const events = on.flatMap((name) => EVENTS[name]);
    await db.query(writeNotificationEvents, { user_id, events });
    return await this.read(user_id, db);
  }

  async subscribe(
    user: { readonly id: string; readonly role: string },
    { endpoint, keys }: NewSubscription,
    user_agent: string,
    tx: Transaction,
  ): Promise<PushSubscriptionRow> {
    const { vault, allowPrivate, outbox } = this.#options;
    await checkTarget('endpoint', endpoint, user, allowPrivate);
    const user_id = user.id;
    checkPublicKey(keys.p256dh);
    const id = uuidv7();
    const row = {
      id,
      user_id,
      endpoint_hash: createHash('sha256').update(endpoint).digest(),
      secrets: sealOrRefuse(vault, { endpoint, ...keys }, pushSecretsOf(id)),
      user_agent: user_agent.slice(0, 300),
    };
    const quota = {
      userId: user_id,
      of: 'subscribed browsers',
      most: PUSH_SUBSCRIPTIONS_LIMIT,
    } as const;
    const rows = await withinQuota(tx, quota, () => tx.query(replacePushSubscription, row));
    tx.afterCommit(() => outbox.targetsChanged());
    return onlyRow(rows);
  }

  async unsubscribe({ id }: PushSubscriptionRow, db: Queryable): Promise<void> {
    const [deleted] = await db.query(deletePushSubscription, { id });
    if (deleted === undefined) throw notFound();
  }

  async #publicKey(): Promise<string> {
    try {
      return await this.#options.push.publicKey();
    } catch (error) {
      throw error instanceof NoMasterKey ? secretKeyRequired() : error;
    }
  }
}

function checkPublicKey(key: string): void {
  try {
    ECDH.convertKey(key, 'prime256v1', 'base64url');
  } catch {
    throw refusedField('keys.p256dh', 'is not a P-256 public key');
  }
}

const isOn = (name: keyof typeof EVENTS, events: readonly WebhookEventType[]): boolean =>
  events.includes(EVENTS[name][0]);

const eventsOf = async (user_id: string, db: Queryable): Promise<readonly WebhookEventType[]> =>
  (await db.query(readNotificationEvents, { user_id }))[0]?.events ?? [];

export const presentPushSubscription = (row: PushSubscriptionRow): PushSubscription => ({
  id: row.id,
  user_agent: row.user_agent,
  created_at: row.created_at.toISOString(),
});

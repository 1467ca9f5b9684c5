import { randomBytes } from 'node:crypto';
import { type Routes, WEBHOOKS_LIMIT } from '@chatd/protocol';
import type { z } from 'zod';
import { foundRow, notFound } from '../../chat/refused.ts';
import { withinQuota } from '../../limits/quota.ts';
import type { AllowPrivate } from '../../providers/fetch/guarded-agent.ts';
import { UnreadableSecret, type Vault } from '../../secrets/vault.ts';
import { toJson } from '../../store/json.ts';
import {
  type DeliveryRow,
  findDelivery,
  redeliver,
  redeliverDead,
} from '../../store/queries/outbox/deliveries.ts';
import {
  deleteWebhook,
  insertWebhook,
  rotateWebhookSecret,
  updateWebhook,
  type WebhookRow,
  webhookSecretsOf,
} from '../../store/queries/outbox/webhooks.ts';
import { findUser } from '../../store/queries/users.ts';
import { onlyRow, type Queryable } from '../../store/statement.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';
import { checkTarget, sealOrRefuse } from '../secrets-and-urls.ts';

type NewWebhook = z.output<Routes['createWebhook']['body']>;
type WebhookChange = z.output<Routes['updateWebhook']['body']>;

interface WebhookCommandsOptions {
  readonly vault: Vault;
  readonly allowPrivate: AllowPrivate;
  readonly outbox: { targetsChanged(): void };
}

/** As the Standard Webhooks specification says. */
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

export class WebhookCommands {
  readonly #options: WebhookCommandsOptions;

  constructor(options: WebhookCommandsOptions) {
    this.#options = options;
  }

  /** Returns the signing secret, which cannot be read again. */
  async create(
    owner: { readonly id: string; readonly role: string },
    given: NewWebhook,
    tx: Transaction,
  ): Promise<{ webhook: WebhookRow; secret: string }> {
    const { vault, allowPrivate, outbox } = this.#options;
    await checkTarget('url', given.url, owner, allowPrivate);
    const owner_id = owner.id;
    const id = uuidv7();
    const secret = given.secret ?? newSecret();
    const row = {
      id,
      owner_id,
      url: given.url,
      events: [...new Set(given.events)],
      labels: toJson(given.filter?.labels ?? {}),
      enabled: given.enabled,
      secrets: sealOrRefuse(vault, { secret }, webhookSecretsOf(id)),
    };
    const quota = { userId: owner_id, of: 'webhooks', most: WEBHOOKS_LIMIT } as const;
    const rows = await withinQuota(tx, quota, () => tx.query(insertWebhook, row));
    tx.afterCommit(() => outbox.targetsChanged());
    return { webhook: onlyRow(rows), secret };
  }

  async update(
    { id, owner_id }: WebhookRow,
    change: WebhookChange,
    tx: Transaction,
  ): Promise<WebhookRow> {
    const { url, events, filter, enabled } = change;
    const { allowPrivate, outbox } = this.#options;
    if (url !== undefined) {
      const owner = foundRow(await tx.query(findUser, { id: owner_id }));
      await checkTarget('url', url, owner, allowPrivate);
    }
    const [row] = await tx.query(updateWebhook, {
      id,
      url: url ?? null,
      events: events === undefined ? null : [...new Set(events)],
      labels: filter === undefined ? null : toJson(filter.labels ?? {}),
      enabled: enabled ?? null,
    });
    if (row === undefined) throw notFound();
    tx.afterCommit(() => outbox.targetsChanged());
    return row;
  }

  /** Returns the new secret. Requests are signed with both for a day. */
  async rotate(
    { id, secrets }: WebhookRow,
    db: Queryable,
  ): Promise<{ webhook: WebhookRow; secret: string }> {
    const { vault } = this.#options;
    const secret = newSecret();
    const previous = readable(() => vault.open(secrets, webhookSecretsOf(id))['secret']);
    const sealed = sealOrRefuse(
      vault,
      { secret, ...(previous !== undefined && { previous }) },
      webhookSecretsOf(id),
    );
    const [webhook] = await db.query(rotateWebhookSecret, { id, secrets: sealed });
    if (webhook === undefined) throw notFound();
    return { webhook, secret };
  }

  async delete({ id }: WebhookRow, db: Queryable): Promise<void> {
    const [deleted] = await db.query(deleteWebhook, { id });
    if (deleted === undefined) throw notFound();
  }

  /** A pending event stays as it is. */
  async redeliver(
    { id: webhook_id }: WebhookRow,
    id: number,
    tx: Transaction,
  ): Promise<DeliveryRow> {
    const [found] = await tx.query(findDelivery, { webhook_id, id });
    if (found === undefined) throw notFound();
    const [again] = await tx.query(redeliver, { webhook_id, id });
    tx.afterCommit(() => this.#options.outbox.targetsChanged());
    return again ?? found;
  }

  /** All dead letters. Returns their number. */
  async redeliverAll({ id: webhook_id }: WebhookRow, tx: Transaction): Promise<number> {
    const { count } = onlyRow(await tx.query(redeliverDead, { webhook_id }));
    tx.afterCommit(() => this.#options.outbox.targetsChanged());
    return count;
  }
}

/** A secret that cannot be decrypted any more is replaced. */
function readable<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined;
    throw error;
  }
}

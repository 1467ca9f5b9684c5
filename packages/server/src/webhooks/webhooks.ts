import type { WebhookEvent, WebhookTest } from '@chatd/protocol';
import type { Logger } from 'pino';
import { Webhook } from 'standardwebhooks';
import type { Channel, Outcome } from '../outbox/channel.ts';
import { type Dispatchers, post } from '../outbox/post.ts';
import { UnreadableSecret, type Vault } from '../secrets/vault.ts';
import type { ClaimedDelivery } from '../store/queries/outbox/deliveries.ts';
import {
  disableWebhook,
  readWebhookTarget,
  webhookSecretsOf,
  type WebhookTarget,
} from '../store/queries/outbox/webhooks.ts';
import type { Queryable } from '../store/statement.ts';

export interface WebhooksOptions {
  readonly database: Queryable;
  readonly vault: Vault;
  readonly dispatchers: Dispatchers;
  readonly version: string;
  readonly log: Logger;
}

const UNREADABLE =
  'The secret of the webhook cannot be decrypted: it was stored with another CHATD_SECRET_KEY. Append that key after a comma, or rotate the secret.';

/** Delivers events to webhooks, signed as the Standard Webhooks specification says. */
export class Webhooks implements Channel {
  readonly keepsDelivered = true;
  readonly vault: Vault;
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.vault = options.vault;
  }

  async send(delivery: ClaimedDelivery, signal: AbortSignal): Promise<Outcome> {
    const { target_id, event, payload, created_at } = delivery;
    const { database, log } = this.#options;
    const [webhook] = await database.query(readWebhookTarget, { id: target_id });
    if (webhook === undefined) return { kind: 'gone' };
    const id = `${target_id}.${delivery.id}`;
    const timestamp = created_at.toISOString();
    const body = { type: event, timestamp, data: payload } as unknown as WebhookEvent;
    const outcome = await this.#post(webhook, id, body, signal);
    if (outcome.kind !== 'failed' || outcome.status !== 410) return outcome;
    // Gone: the receiver wants no more requests.
    await database.query(disableWebhook, { id: target_id });
    log.warn({ webhook: target_id }, 'a webhook responded with HTTP 410 and was disabled');
    return { ...outcome, final: true };
  }

  /** Sends an event that is not stored, and reports the result. */
  async test({ id: webhook_id }: { readonly id: string }): Promise<WebhookTest> {
    const { database } = this.#options;
    const [webhook] = await database.query(readWebhookTarget, { id: webhook_id });
    if (webhook === undefined)
      return { ok: false, message: 'The webhook was deleted.', latency_ms: 0 };
    const { now } = webhook;
    const started = performance.now();
    const body: WebhookEvent = {
      type: 'webhook.test',
      timestamp: now.toISOString(),
      data: { webhook_id: webhook.id, owner_id: webhook.owner_id },
    };
    const id = `${webhook.id}.test-${now.getTime()}`;
    const outcome = await this.#post(webhook, id, body, new AbortController().signal);
    const latency_ms = Math.round(performance.now() - started);
    return outcome.kind === 'delivered'
      ? { ok: true, message: `The receiver responded with HTTP ${outcome.status}.`, latency_ms }
      : { ok: false, message: outcome.kind === 'failed' ? outcome.error : '', latency_ms };
  }

  async #post(
    webhook: WebhookTarget,
    id: string,
    event: WebhookEvent,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const secrets = this.#secretsOf(webhook);
    if (secrets === undefined) return { kind: 'failed', status: null, error: UNREADABLE };
    const body = JSON.stringify(event);
    const { now } = webhook;
    const signatures = secrets.map((secret) => new Webhook(secret).sign(id, now, body));
    const { dispatchers, version } = this.#options;
    return await post(
      webhook.of_admin ? dispatchers.ofAdmins : dispatchers.ofMembers,
      {
        url: webhook.url,
        headers: {
          'content-type': 'application/json',
          'user-agent': `chatd/${version}`,
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': signatures.join(' '),
        },
        body,
      },
      signal,
    );
  }

  /** The current secret, and the previous one while it is valid. Undefined: they cannot be decrypted. */
  #secretsOf({ id, secrets, has_previous }: WebhookTarget): string[] | undefined {
    try {
      const { secret, previous } = this.vault.open(secrets, webhookSecretsOf(id));
      const both = has_previous === true ? [secret, previous] : [secret];
      return both.filter((one) => one !== undefined);
    } catch (error) {
      if (error instanceof UnreadableSecret) return undefined;
      throw error;
    }
  }
}

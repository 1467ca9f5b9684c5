import type { WebhookEventData } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Channel, Outcome } from '../outbox/channel.ts';
import { type Dispatchers, type Post, post } from '../outbox/post.ts';
import { UnreadableSecret, type Vault } from '../secrets/vault.ts';
import type { ClaimedDelivery } from '../store/queries/outbox/deliveries.ts';
import {
  deletePushSubscription,
  findPushSubscription,
  insertPushKeys,
  PUSH_KEY_ROW,
  pushSecretsOf,
  readPushKeys,
} from '../store/queries/outbox/push.ts';
import { onlyRow, type Queryable } from '../store/statement.ts';
import { encryptFor } from './encrypt.ts';
import { notificationOf, type PushNotification } from './notification.ts';
import { newVapidKeys, type VapidKeys, vapidHeader } from './vapid.ts';

export interface PushOptions {
  readonly database: Queryable;
  readonly vault: Vault;
  readonly dispatchers: Dispatchers;
  /** Tells push services who sends: an https URL, or a mailto address. */
  readonly contact: string;
  readonly log: Logger;
}

/** How long a push service keeps a notification for a browser that is offline. */
const TTL_SECONDS = 24 * 60 * 60;

/** Shows notifications in browsers (Web Push). */
export class Push implements Channel {
  readonly keepsDelivered = false;
  readonly #options: PushOptions;
  #keys: Promise<VapidKeys> | undefined;

  constructor(options: PushOptions) {
    this.#options = options;
  }

  /** For `PushManager.subscribe`. Throws `NoMasterKey` if no key can be stored. */
  async publicKey(): Promise<string> {
    return (await this.#vapidKeys()).publicKey;
  }

  async send(
    { target_id, event, payload }: ClaimedDelivery,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { database, dispatchers, log } = this.#options;
    const [subscription] = await database.query(findPushSubscription, { id: target_id });
    if (subscription === undefined) return { kind: 'gone' };
    const notification = notificationOf(event, payload as unknown as WebhookEventData);
    const request = await this.#request(subscription, event, notification);
    if (request === undefined) {
      const error = new UnreadableSecret().message;
      return { kind: 'failed', status: null, error, final: true };
    }
    const dispatcher = subscription.of_admin ? dispatchers.ofAdmins : dispatchers.ofMembers;
    const outcome = await post(dispatcher, request, signal);
    if (outcome.kind !== 'failed' || outcome.status === null) return outcome;
    const { status } = outcome;
    if (status === 404 || status === 410) {
      await database.query(deletePushSubscription, { id: target_id });
      return { kind: 'gone' };
    }
    // Other refusals do not change with time.
    const final = status < 500 && status !== 429;
    if (final)
      log.warn(
        { status, host: new URL(request.url).host },
        'a push service refused a notification',
      );
    return { ...outcome, final };
  }

  /** Undefined: the subscription cannot be decrypted. */
  async #request(
    { id, secrets }: { readonly id: string; readonly secrets: string },
    event: string,
    notification: PushNotification,
  ): Promise<Post | undefined> {
    const { vault, contact } = this.#options;
    try {
      const { endpoint: url = '', p256dh = '', auth = '' } = vault.open(secrets, pushSecretsOf(id));
      const keys = await this.#vapidKeys();
      return {
        url,
        headers: {
          authorization: vapidHeader(keys, url, contact, Date.now()),
          'content-encoding': 'aes128gcm',
          'content-type': 'application/octet-stream',
          ttl: String(TTL_SECONDS),
          urgency: event === 'chat.requires_action' ? 'high' : 'normal',
          // A newer notification of the chat replaces one that was not shown yet.
          topic: notification.tag.replaceAll('-', ''),
        },
        body: encryptFor({ p256dh, auth }, JSON.stringify(notification)),
      };
    } catch (error) {
      if (error instanceof UnreadableSecret) return undefined;
      throw error;
    }
  }

  /** Created on first use, by the first replica. */
  async #vapidKeys(): Promise<VapidKeys> {
    this.#keys ??= this.#readKeys();
    this.#keys.catch(() => {
      this.#keys = undefined;
    });
    return await this.#keys;
  }

  async #readKeys(): Promise<VapidKeys> {
    const { database, vault } = this.#options;
    const [existing] = await database.query(readPushKeys);
    if (existing === undefined) {
      const { publicKey, privateKey } = newVapidKeys();
      const secrets = vault.seal({ privateKey }, PUSH_KEY_ROW);
      await database.query(insertPushKeys, { public_key: publicKey, secrets });
    }
    const { public_key: publicKey, secrets } =
      existing ?? onlyRow(await database.query(readPushKeys));
    const { privateKey = '' } = vault.open(secrets, PUSH_KEY_ROW);
    return { publicKey, privateKey };
  }
}

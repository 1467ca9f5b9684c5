import { z } from 'zod';
import { SerialIdText, Uuid } from '../ids.ts';
import { Cursor, Flag, Limit, NextCursor } from '../page.ts';
import { routeWith } from '../route.ts';
import {
  CreatedWebhook,
  DeliveryState,
  Webhook,
  WebhookDelivery,
  WebhookEventType,
  WebhookFilter,
  WEBHOOKS_LIMIT,
  WebhookSecret,
  WebhookTest,
  WebhookUrl,
} from '../webhook.ts';

const route = routeWith('Webhooks');
const WebhookParams = z.strictObject({ webhook_id: Uuid.describe('ID of the webhook.') });

const url = WebhookUrl.meta({
  description:
    'URL that events are posted to. Private addresses are refused, unless the owner is an admin and private addresses are allowed. Redirects are not followed.',
  examples: ['https://example.com/chatd'],
});
const events = z.array(WebhookEventType).min(1).max(50).describe('Events to send.');
const filter = WebhookFilter.optional().describe('Which chats to send events of. Default: all.');

export const webhookRoutes = {
  listWebhooks: route({
    method: 'get',
    path: '/webhooks',
    summary: 'List your webhooks',
    description: 'Sorted by creation time.',
    scope: 'read',
    query: z.strictObject({
      limit: Limit,
      cursor: Cursor,
      all: Flag.optional().describe('Includes the webhooks of all users, for admins.'),
    }),
    answers: {
      200: z.object({
        webhooks: z.array(Webhook).describe('One page of webhooks.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor', 'admin_required', 'insufficient_scope'],
    audit: { action: 'webhook.list_all', onlyWith: 'all' },
  }),
  createWebhook: route({
    method: 'post',
    path: '/webhooks',
    summary: 'Create a webhook',
    description: `Events of your chats are posted to the URL: at least once, in order per chat, signed as the [Standard Webhooks](https://www.standardwebhooks.com) specification says. Attempts are repeated for 24 hours. You can have up to ${WEBHOOKS_LIMIT} webhooks.`,
    scope: 'write',
    body: z
      .strictObject({
        url,
        events,
        filter,
        enabled: z.boolean().default(true).describe('False: no events are sent. Default: true.'),
        secret: WebhookSecret.optional().meta({
          description:
            'Secret that requests are signed with: `whsec_` and 24 to 64 bytes in base64. Default: a new one.',
          examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
        }),
      })
      .meta({
        examples: [
          { url: 'https://example.com/chatd', events: ['chat.waiting', 'chat.requires_action'] },
        ],
      }),
    answers: { 201: CreatedWebhook },
    refusals: ['url_not_allowed', 'secret_key_required', 'quota_exceeded'],
    secret: true,
    audit: { action: 'webhook.create', values: ['events'] },
  }),
  getWebhook: route({
    method: 'get',
    path: '/webhooks/{webhook_id}',
    summary: 'Get a webhook',
    description: 'Without its secret.',
    scope: 'read',
    anyOwner: true,
    params: WebhookParams,
    answers: { 200: Webhook },
  }),
  updateWebhook: route({
    method: 'patch',
    path: '/webhooks/{webhook_id}',
    summary: 'Change a webhook',
    description:
      'Omitted fields do not change. Pending events go to the new URL. A disabled webhook still gets its pending events.',
    scope: 'write',
    anyOwner: true,
    params: WebhookParams,
    body: z
      .strictObject({
        url: url.optional(),
        events: events.optional(),
        filter: WebhookFilter.optional().describe(
          'Which chats to send events of. Replaces the filter.',
        ),
        enabled: z.boolean().optional().describe('False: no new events are sent.'),
      })
      .meta({ examples: [{ enabled: false }] }),
    answers: { 200: Webhook },
    refusals: ['url_not_allowed'],
    audit: { action: 'webhook.update', values: ['events'] },
  }),
  deleteWebhook: route({
    method: 'delete',
    path: '/webhooks/{webhook_id}',
    summary: 'Delete a webhook and its events',
    description: 'Cannot be undone. Pending events are not delivered.',
    scope: 'write',
    anyOwner: true,
    params: WebhookParams,
    answers: { 204: null },
    audit: { action: 'webhook.delete' },
  }),
  rotateWebhookSecret: route({
    method: 'post',
    path: '/webhooks/{webhook_id}/secret',
    summary: 'Replace the secret of a webhook',
    description:
      'The new secret is returned only once. For 24 hours, requests are signed with both secrets.',
    scope: 'write',
    anyOwner: true,
    params: WebhookParams,
    answers: { 200: CreatedWebhook },
    refusals: ['secret_key_required'],
    secret: true,
    audit: { action: 'webhook.rotate_secret' },
  }),
  testWebhook: route({
    method: 'post',
    path: '/webhooks/{webhook_id}/test',
    summary: 'Send a test event',
    description:
      'Posts an event of the type `webhook.test` and returns the result. It is not repeated and not listed.',
    scope: 'write',
    anyOwner: true,
    params: WebhookParams,
    answers: { 200: WebhookTest },
    secret: true,
  }),
  listWebhookDeliveries: route({
    method: 'get',
    path: '/webhooks/{webhook_id}/deliveries',
    summary: 'List events of a webhook, newest first',
    description: 'Dead letters are those with `state=dead`.',
    scope: 'read',
    anyOwner: true,
    params: WebhookParams,
    query: z.strictObject({
      limit: Limit,
      cursor: Cursor,
      state: DeliveryState.optional().describe('Only events in this state. Default: all.'),
    }),
    answers: {
      200: z.object({
        deliveries: z.array(WebhookDelivery).describe('One page of events.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  redeliverWebhookEvent: route({
    method: 'post',
    path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    summary: 'Deliver an event again',
    description:
      'For dead letters and delivered events. Later events of the chat may have been delivered before. A pending event stays as it is.',
    scope: 'write',
    anyOwner: true,
    params: WebhookParams.extend({
      delivery_id: SerialIdText.describe('ID of the delivery.'),
    }),
    answers: { 200: WebhookDelivery },
    audit: { action: 'webhook.redeliver' },
  }),
  redeliverWebhookEvents: route({
    method: 'post',
    path: '/webhooks/{webhook_id}/redeliver',
    summary: 'Deliver all dead letters again',
    description: 'In order per chat. Attempts are repeated for another 24 hours.',
    scope: 'write',
    anyOwner: true,
    params: WebhookParams,
    answers: {
      200: z.object({ count: z.int().nonnegative().describe('Number of dead letters.') }),
    },
    audit: { action: 'webhook.redeliver_all' },
  }),
};

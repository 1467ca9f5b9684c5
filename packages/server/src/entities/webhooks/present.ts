import type { Webhook, WebhookDelivery } from '@chatd/protocol';
import type { DeliveryRow } from '../../store/queries/outbox/deliveries.ts';
import type { WebhookRow } from '../../store/queries/outbox/webhooks.ts';

export const presentWebhook = (row: WebhookRow): Webhook => ({
  id: row.id,
  owner_id: row.owner_id,
  url: row.url,
  events: [...row.events],
  filter: { labels: { ...row.labels } },
  enabled: row.enabled,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const presentDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  event: row.event as WebhookDelivery['event'],
  data: row.payload as WebhookDelivery['data'],
  state: row.state,
  attempts: row.attempts,
  created_at: row.created_at.toISOString(),
  ...(row.state === 'pending' && { next_attempt_at: row.due_at.toISOString() }),
  ...(row.last_attempt_at && { last_attempt_at: row.last_attempt_at.toISOString() }),
  ...(row.last_status !== null && { last_status: row.last_status }),
  ...(row.last_error !== null && { last_error: row.last_error }),
  ...(row.finished_at && { finished_at: row.finished_at.toISOString() }),
});

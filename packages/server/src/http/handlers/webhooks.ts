import { requireAdmin } from '../../auth/caller.ts';
import { WebhookCommands } from '../../entities/webhooks/commands.ts';
import { presentDelivery, presentWebhook } from '../../entities/webhooks/present.ts';
import { listDeliveries } from '../../store/queries/outbox/deliveries.ts';
import { listWebhooks } from '../../store/queries/outbox/webhooks.ts';
import type { HandlersOf } from '../call.ts';
import { decodeCursor, IdCursor, page, SerialCursor } from '../request/cursor.ts';
import type { Services } from '../services.ts';

export function webhookHandlers({
  webhooks,
  outbox,
  providers: { vault, allowPrivate },
}: Services): HandlersOf<'Webhooks'> {
  const commands = new WebhookCommands({ vault, allowPrivate, outbox });
  return {
    async listWebhooks({ caller, query: { all = false, cursor, limit }, db }) {
      if (all) requireAdmin(caller, 'all');
      const after_id = decodeCursor(IdCursor, cursor)?.id ?? null;
      const owner_id = all ? null : caller.user.id;
      const found = await db.query(listWebhooks, { owner_id, after_id, limit: limit + 1 });
      const { rows, next_cursor } = page(found, limit, ({ id }) => ({ id }));
      return { status: 200, body: { webhooks: rows.map(presentWebhook), next_cursor } };
    },

    async createWebhook({ caller, body, tx }) {
      const { webhook, secret } = await commands.create(caller.user, body, tx);
      return { status: 201, body: { ...presentWebhook(webhook), secret } };
    },

    getWebhook: async ({ found }) => ({ status: 200, body: presentWebhook(found.webhook) }),

    updateWebhook: async ({ found, body, tx }) => ({
      status: 200,
      body: presentWebhook(await commands.update(found.webhook, body, tx)),
    }),

    async deleteWebhook({ found, tx }) {
      await commands.delete(found.webhook, tx);
      return { status: 204 };
    },

    async rotateWebhookSecret({ found, tx }) {
      const { webhook, secret } = await commands.rotate(found.webhook, tx);
      return { status: 200, body: { ...presentWebhook(webhook), secret } };
    },

    testWebhook: async ({ found }) => ({ status: 200, body: await webhooks.test(found.webhook) }),

    async listWebhookDeliveries({ found, query: { state = null, cursor, limit }, db }) {
      const before_id = decodeCursor(SerialCursor, cursor)?.id ?? null;
      const { id: webhook_id } = found.webhook;
      const list = await db.query(listDeliveries, {
        webhook_id,
        state,
        before_id,
        limit: limit + 1,
      });
      const { rows, next_cursor } = page(list, limit, ({ id }) => ({ id }));
      return { status: 200, body: { deliveries: rows.map(presentDelivery), next_cursor } };
    },

    redeliverWebhookEvent: async ({ found, params, tx }) => ({
      status: 200,
      body: presentDelivery(await commands.redeliver(found.webhook, params.delivery_id, tx)),
    }),

    redeliverWebhookEvents: async ({ found, tx }) => ({
      status: 200,
      body: { count: await commands.redeliverAll(found.webhook, tx) },
    }),
  };
}

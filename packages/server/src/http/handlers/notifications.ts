import {
  NotificationCommands,
  presentPushSubscription,
} from '../../entities/notifications/commands.ts';
import { withinTransaction } from '../../store/transaction-scope.ts';
import type { HandlersOf } from '../call.ts';
import type { Services } from '../services.ts';

export function notificationHandlers({
  store,
  push,
  outbox,
  providers: { vault, allowPrivate },
}: Services): HandlersOf<'Notifications'> {
  const commands = new NotificationCommands({ vault, push, allowPrivate, outbox });
  return {
    getNotifications: async ({ caller, db }) => ({
      status: 200,
      body: await commands.read(caller.user.id, db),
    }),

    updateNotifications: async ({ caller, body, db }) => ({
      status: 200,
      body: await commands.update(caller.user.id, body, db),
    }),

    async createPushSubscription({ caller, body, tx, exchange }) {
      const browser = exchange.header('user-agent') ?? '';
      const row = await withinTransaction(store.database, tx, (tx) =>
        commands.subscribe(caller.user, body, browser, tx),
      );
      return { status: 201, body: presentPushSubscription(row) };
    },

    async deletePushSubscription({ found, db }) {
      await commands.unsubscribe(found.push_subscription, db);
      return { status: 204 };
    },
  };
}

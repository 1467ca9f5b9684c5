import { z } from 'zod';
import { Uuid } from '../ids.ts';
import {
  Notifications,
  NotificationSwitches,
  PUSH_SUBSCRIPTIONS_LIMIT,
  PushSubscription,
} from '../notification.ts';
import { routeWith } from '../route.ts';

const route = routeWith('Notifications');

export const notificationRoutes = {
  getNotifications: route({
    method: 'get',
    path: '/users/me/notifications',
    summary: 'Get your notification settings',
    description: 'With the key that a browser needs to subscribe.',
    scope: 'read',
    answers: { 200: Notifications },
    refusals: ['secret_key_required'],
  }),
  updateNotifications: route({
    method: 'patch',
    path: '/users/me/notifications',
    summary: 'Choose what you are notified of',
    description: 'Applies to all of your browsers. Omitted fields do not change.',
    scope: 'write',
    body: NotificationSwitches.meta({ examples: [{ needs_you: true }] }),
    answers: { 200: Notifications },
    refusals: ['secret_key_required'],
  }),
  createPushSubscription: route({
    method: 'post',
    path: '/users/me/push-subscriptions',
    summary: 'Show notifications in a browser',
    description: `Takes the result of \`PushManager.subscribe\`. A browser has one subscription, for the user who subscribed last. You can have up to ${PUSH_SUBSCRIPTIONS_LIMIT} browsers.`,
    scope: 'write',
    body: z
      .strictObject({
        endpoint: z
          .string()
          .min(1)
          .max(2048)
          .describe('Address of the browser at its push service. A secret.'),
        expirationTime: z
          .number()
          .nullable()
          .optional()
          .describe('Ignored. Browsers include it in the subscription.'),
        keys: z
          .strictObject({
            p256dh: z
              .string()
              .regex(/^[\w-]{80,90}=?$/, 'must be a P-256 public key in base64url')
              .describe('Public key of the browser, in base64url.'),
            auth: z
              .string()
              .regex(/^[\w-]{22}(==)?$/, 'must be 16 bytes in base64url')
              .describe('Authentication secret of the browser, in base64url.'),
          })
          .describe('Keys that notifications are encrypted with.'),
      })
      .meta({
        examples: [
          {
            endpoint: 'https://push.example.com/send/abc',
            keys: {
              p256dh:
                'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
              auth: 'tBHItJI5svbpez7KI4CCXg',
            },
          },
        ],
      }),
    answers: { 201: PushSubscription },
    refusals: ['url_not_allowed', 'secret_key_required', 'quota_exceeded'],
    secret: true,
  }),
  deletePushSubscription: route({
    method: 'delete',
    path: '/users/me/push-subscriptions/{push_subscription_id}',
    summary: 'Stop notifications in a browser',
    description: 'Subscriptions that the browser has ended are deleted automatically.',
    scope: 'write',
    params: z.strictObject({
      push_subscription_id: Uuid.describe('One of your subscriptions.'),
    }),
    answers: { 204: null },
  }),
};

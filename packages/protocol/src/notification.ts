import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';

/** Max number of browsers of a user that show notifications. */
export const PUSH_SUBSCRIPTIONS_LIMIT = 20;

export const PushSubscription = z
  .object({
    id: Uuid.describe('ID of the subscription. A UUIDv7. New each time the browser subscribes.'),
    user_agent: z
      .string()
      .meta({ description: 'The browser, as it names itself.', examples: ['Mozilla/5.0 …'] }),
    created_at: Timestamp.describe('Creation time.'),
  })
  .meta({ id: 'PushSubscription', description: 'A browser that shows notifications.' });
export type PushSubscription = z.infer<typeof PushSubscription>;

const needs_you = z
  .boolean()
  .describe('An agent waits for your approval or answer. Default: false.');
const finished = z.boolean().describe('A turn of one of your chats has ended. Default: false.');
const failed = z
  .boolean()
  .describe(
    'A turn of one of your chats has failed, or one of your triggers could not run or was disabled. Default: false.',
  );

export const NotificationSwitches = z.strictObject({
  needs_you: needs_you.optional(),
  finished: finished.optional(),
  failed: failed.optional(),
});

export const Notifications = z
  .object({
    needs_you,
    finished,
    failed,
    public_key: z
      .string()
      .describe(
        'Key of this deployment for `PushManager.subscribe` (`applicationServerKey`), in base64url.',
      ),
    subscriptions: z
      .array(PushSubscription)
      .describe('Your browsers that show notifications, oldest first.'),
  })
  .meta({
    id: 'Notifications',
    description: 'What you are notified of, in which browsers.',
  });
export type Notifications = z.infer<typeof Notifications>;

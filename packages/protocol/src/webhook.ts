import { z } from 'zod';
import { ActionKind } from './action-kind.ts';
import { ChatStatus, Labels } from './chat.ts';
import { ErrorKind } from './chat-error.ts';
import { enumeration } from './enumeration.ts';
import { SerialId, Timestamp, Uuid } from './ids.ts';

/** Max number of webhooks of a user. */
export const WEBHOOKS_LIMIT = 50;

export const WebhookEventType = enumeration('WebhookEventType', 'Kind of an event.', {
  'chat.waiting': 'a turn has ended; the chat waits for the next message',
  'chat.requires_action':
    'a turn waits for an approval, an answer, or the results of dynamic tools. Also sent for subagents',
  'chat.error': 'a turn has failed',
  'trigger.failed': 'a run of a trigger has failed, or was refused',
  'trigger.disabled': 'the server has disabled a trigger after consecutive failures',
});
export type WebhookEventType = z.infer<typeof WebhookEventType>;

export const WebhookUrl = z.string().min(1).max(2048);

/** `whsec_` and 24 to 64 bytes in base64. */
export const WebhookSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and 24 to 64 bytes in base64');

export const WebhookFilter = z
  .strictObject({
    labels: Labels.optional().describe(
      'Only chats with all of these labels. Subagents have the labels of their root chat. Default: all chats.',
    ),
  })
  .meta({ id: 'WebhookFilter', description: 'Which chats a webhook gets events of.' });
export type WebhookFilter = z.infer<typeof WebhookFilter>;

export const Webhook = z
  .object({
    id: Uuid.describe('ID of the webhook. A UUIDv7.'),
    owner_id: Uuid.describe('ID of the owner. The webhook gets events of their chats.'),
    url: z.string().meta({
      description: 'URL that events are posted to.',
      examples: ['https://example.com/chatd'],
    }),
    events: z.array(WebhookEventType).describe('Events that are sent.'),
    filter: WebhookFilter.describe('Which chats it gets events of.'),
    enabled: z
      .boolean()
      .describe(
        'False: new events are not stored for it. Set to false by the server when the receiver responds with HTTP 410.',
      ),
    created_at: Timestamp.describe('Creation time.'),
    updated_at: Timestamp.describe('Time of the last change.'),
  })
  .meta({ id: 'Webhook', description: 'A URL that gets events of your chats.' });
export type Webhook = z.infer<typeof Webhook>;

export const CreatedWebhook = Webhook.extend({
  secret: z.string().meta({
    description:
      'Secret that requests are signed with (Standard Webhooks). Returned only once; the server stores it encrypted.',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  }),
}).meta({ id: 'CreatedWebhook', description: 'A webhook with its new secret.' });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;

export const WebhookEventData = z
  .object({
    chat_id: Uuid.optional().describe(
      'ID of the chat. Absent in test events, and for triggers without a chat.',
    ),
    root_chat_id: Uuid.optional().describe('ID of the root chat. Present only for subagents.'),
    owner_id: Uuid.describe('ID of the owner of the chat or trigger.'),
    webhook_id: Uuid.optional().describe('ID of the webhook. Present only in test events.'),
    project_id: Uuid.optional().describe('ID of the project. Absent: none.'),
    title: z.string().optional().describe('Title of the chat; of a subagent, of its root chat.'),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe('Labels of the chat; of a subagent, of its root chat.'),
    status: ChatStatus.optional().describe('Status of the chat after the event.'),
    snapshot_version: z
      .int()
      .optional()
      .describe('Version of the chat after the event. Increases with every change of the chat.'),
    interrupted: z
      .literal(true)
      .optional()
      .describe('Present if the turn was interrupted by a client.'),
    error: z
      .object({
        kind: ErrorKind.describe('Kind of the error.'),
        message: z.string().describe('What happened and what to do, as text for users.'),
      })
      .optional()
      .describe('Why the turn failed. Present only for `chat.error`.'),
    calls: z
      .array(
        z.object({
          tool_call_id: z.string().describe('ID of the call.'),
          tool_name: z.string().describe('Name of the called tool.'),
          awaits: ActionKind.describe('Who must resolve the call.'),
          detail: z
            .string()
            .optional()
            .describe('The argument that describes the call best, on one line. Absent: none.'),
        }),
      )
      .optional()
      .describe('Pending calls. Present only for `chat.requires_action`.'),
    trigger: z
      .object({
        id: Uuid.describe('ID of the trigger.'),
        name: z.string().describe('Name of the trigger.'),
        run_id: Uuid.optional().describe('ID of the run. Present only for `trigger.failed`.'),
        reason: z.string().optional().describe('What happened, as text for users.'),
      })
      .optional()
      .describe('The trigger. Present only for events of triggers.'),
  })
  .meta({
    id: 'WebhookEventData',
    description:
      'The chat or the trigger at the time of the event. Read the messages of a chat with `listMessages`.',
  });
export type WebhookEventData = z.infer<typeof WebhookEventData>;

/** The body of a request to a webhook. */
export interface WebhookEvent {
  readonly type: WebhookEventType | 'webhook.test';
  /** Of the event, not of the attempt. */
  readonly timestamp: string;
  readonly data: WebhookEventData;
}

export const DeliveryState = enumeration('DeliveryState', 'State of an event of a webhook.', {
  pending: 'not delivered yet; attempts are made for 24 hours',
  delivered: 'the receiver responded with a 2xx status. Listed for 7 days',
  dead: 'a dead letter: all attempts failed. Listed for 30 days; can be delivered again',
});
export type DeliveryState = z.infer<typeof DeliveryState>;

export const WebhookDelivery = z
  .object({
    id: SerialId.describe('ID of the delivery. Increases with time.'),
    event: WebhookEventType.describe('Kind of the event.'),
    data: WebhookEventData.describe('The chat at the time of the event.'),
    state: DeliveryState.describe('State of the delivery.'),
    attempts: z.int().nonnegative().describe('Number of attempts so far.'),
    created_at: Timestamp.describe('Time of the event.'),
    next_attempt_at: Timestamp.optional().describe(
      'Time of the next attempt. Later if an earlier event of the chat is pending. Present only while pending.',
    ),
    last_attempt_at: Timestamp.optional().describe('Time of the last attempt. Absent: none.'),
    last_status: z
      .int()
      .optional()
      .describe('HTTP status of the last response. Absent if there was none.'),
    last_error: z.string().optional().describe('Why the last attempt failed, as text for users.'),
    finished_at: Timestamp.optional().describe(
      'Time when it was delivered or became a dead letter.',
    ),
  })
  .meta({ id: 'WebhookDelivery', description: 'An event for a webhook.' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookTest = z
  .object({
    ok: z.boolean().describe('True if the receiver responded with a 2xx status.'),
    message: z
      .string()
      .describe('Result of the test, and what to do if it failed, as text for users.'),
    latency_ms: z
      .int()
      .nonnegative()
      .describe('Time until the response arrived or the test failed, in milliseconds.'),
  })
  .meta({ id: 'WebhookTest', description: 'Result of a test event of a webhook.' });
export type WebhookTest = z.infer<typeof WebhookTest>;

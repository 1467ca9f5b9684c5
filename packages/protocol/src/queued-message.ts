import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { SerialId, Timestamp, Uuid } from './ids.ts';
import { Part } from './part.ts';
import { ReasoningEffort } from './reasoning-effort.ts';

export const BusyBehavior = enumeration(
  'BusyBehavior',
  'What a message does if the chat is busy. In an idle chat, all values start a turn.',
  {
    queue: 'waits until the turn ends',
    steer: 'joins the turn before its next step, without stopping anything',
    interrupt: 'stops the turn, keeps its output so far, and goes next. Pending calls are canceled',
  },
);
export type BusyBehavior = z.infer<typeof BusyBehavior>;

export const QueuedMessage = z
  .object({
    id: SerialId.describe(
      'ID in the queue. The message gets a new ID when it leaves the queue and keeps this one as `queued_message_id`.',
    ),
    chat_id: Uuid.describe('Chat of the message.'),
    created_at: Timestamp.describe('Time when the message was sent.'),
    created_by: Uuid.optional().describe(
      'User who sent the message, or on whose behalf an agent sent it.',
    ),
    busy_behavior: BusyBehavior.describe(
      'How the message leaves the queue. Order in the queue: `interrupt`, `steer`, `queue`.',
    ),
    model_config_id: Uuid.optional().describe(
      'Model for this message and the chat from then on. Absent: the model of the chat.',
    ),
    reasoning_effort: ReasoningEffort.optional().describe(
      'Reasoning effort for this message and the chat from then on. Absent: the effort of the chat.',
    ),
    content: z.array(Part).describe('Parts of the message, in order.'),
  })
  .meta({
    id: 'QueuedMessage',
    description: 'A message that waits in the queue of a chat. The model has not seen it yet.',
  });
export type QueuedMessage = z.infer<typeof QueuedMessage>;

/** Max number of queued messages in one chat. */
export const QUEUE_LIMIT = 20;

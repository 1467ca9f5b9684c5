import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { SerialId, Timestamp, Uuid } from './ids.ts';
import { Part } from './part.ts';
import { ReasoningEffort } from './reasoning-effort.ts';

export const BusyBehavior = enumeration(
  'BusyBehavior',
  'What a message does to a chat that is busy. On an idle chat all three are a plain send.',
  {
    queue: 'it waits until the turn is over',
    steer: 'it joins before the next step of the turn; nothing is stopped',
    interrupt:
      'it stops the turn, whose output so far is kept, and goes next. Calls that wait for somebody are cancelled',
  },
);
export type BusyBehavior = z.infer<typeof BusyBehavior>;

export const QueuedMessage = z
  .object({
    id: SerialId.describe(
      'Names it in `/queue`. Not the id that it gets as a message: that one keeps this as `queued_message_id`.',
    ),
    chat_id: Uuid.describe('The chat that it waits for.'),
    created_at: Timestamp.describe('When it was sent.'),
    created_by: Uuid.optional().describe('The user who sent it, or for whom an agent did.'),
    busy_behavior: BusyBehavior.describe(
      'How it gets in. In the queue, `interrupt` goes before `steer`, and that before `queue`.',
    ),
    model_config_id: Uuid.optional().describe(
      'The model that is to answer it, and the chat from then on. Absent: the one that the chat has.',
    ),
    reasoning_effort: ReasoningEffort.optional().describe(
      'The effort for it, and for the chat from then on. Absent: the one that the chat has.',
    ),
    content: z.array(Part).describe('What it says, in order.'),
  })
  .meta({
    id: 'QueuedMessage',
    description:
      'A message that waits until its chat has time for it. It has not been shown to the model.',
  });
export type QueuedMessage = z.infer<typeof QueuedMessage>;

/** How many messages may wait in one chat. */
export const QUEUE_LIMIT = 20;

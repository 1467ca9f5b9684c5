import { z } from 'zod';
import { SerialId, Timestamp, Uuid } from './ids.ts';
import { Part } from './part.ts';
import { ReasoningEffort } from './reasoning-effort.ts';

/**
 * What a message does to a chat that is busy: `queue` waits for the turn to end, `steer` joins at the next
 * step boundary, `interrupt` stops the turn and runs next. On an idle chat all three are a plain send.
 */
export const BusyBehavior = z.enum(['queue', 'steer', 'interrupt']);
export type BusyBehavior = z.infer<typeof BusyBehavior>;

export const QueuedMessage = z
  .object({
    id: SerialId,
    chat_id: Uuid,
    created_at: Timestamp,
    created_by: Uuid.optional(),
    busy_behavior: BusyBehavior,
    model_config_id: Uuid.optional(),
    reasoning_effort: ReasoningEffort.optional(),
    content: z.array(Part),
  })
  .meta({ id: 'QueuedMessage' });
export type QueuedMessage = z.infer<typeof QueuedMessage>;

/** How many messages may wait in one chat. */
export const QUEUE_LIMIT = 20;

import { z } from 'zod';
import { SerialId, Timestamp, Uuid } from './ids.ts';
import { Part } from './part.ts';

export const Role = z.enum(['system', 'user', 'assistant', 'tool']);
export type Role = z.infer<typeof Role>;

const tokens = z.int().nonnegative().optional();

/** Tokens of one model call, by class. A class that the provider did not report is absent. */
export const Usage = z
  .object({
    input_tokens: tokens,
    output_tokens: tokens,
    reasoning_tokens: tokens,
    cache_read_tokens: tokens,
    cache_creation_tokens: tokens,
    total_tokens: tokens,
    context_limit: tokens,
  })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof Usage>;

/** `length`: of the output that a model may write · `content-filter`: by its provider · `interrupted`: by a person. */
const CutOff = z.enum(['length', 'content-filter', 'interrupted']);

/** One committed message. */
export const Message = z
  .object({
    id: SerialId,
    chat_id: Uuid,
    role: Role,
    created_at: Timestamp,
    created_by: Uuid.optional(),
    model_config_id: Uuid.optional(),
    content: z.array(Part),
    usage: Usage.optional(),
    cost_micros: z.int().nonnegative().optional(),
    runtime_ms: z.int().nonnegative().optional(),
    queued_message_id: SerialId.optional(),
    /** Why an answer ends where it does, when it did not simply end. */
    cut_off: CutOff.optional(),
  })
  .meta({ id: 'Message' });
export type Message = z.infer<typeof Message>;

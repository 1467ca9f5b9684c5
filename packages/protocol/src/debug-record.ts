import { z } from 'zod';
import { ErrorKind } from './chat-error.ts';
import { Timestamp, Uuid } from './ids.ts';
import { Json } from './json.ts';

/** Whether model calls are recorded, and for how long. */
export const DebugRecordSetting = z.strictObject({
  enabled: z.boolean(),
  retention_hours: z
    .int()
    .min(1)
    .max(24 * 30)
    .default(24),
});

const count = z.int().nonnegative();
const ms = z.int().nonnegative();

/** One model call as it was made, without secrets, cut to size, and with media as the number of their bytes. */
export const DebugEntry = z
  .object({
    id: Uuid,
    chat_id: Uuid,
    created_at: Timestamp,
    purpose: z.enum(['turn', 'summary', 'title']),
    model_config_id: Uuid,
    /** As the model's package calls itself. */
    provider: z.string(),
    model: z.string(),
    /** From 1; more when the same step was tried before. */
    attempt: z.int().positive(),
    outcome: z.enum(['completed', 'failed', 'stopped']),
    /** Why we ended it ourselves. */
    stopped: z.string().optional(),
    /** What the model's package was given, in its own words. */
    request: Json,
    response: z.object({
      id: z.string().optional(),
      model: z.string().optional(),
      parts: Json,
      /** Characters that are not shown. */
      cut: count.optional(),
    }),
    usage: z
      .object({
        input_tokens: count.optional(),
        output_tokens: count.optional(),
        reasoning_tokens: count.optional(),
        cache_read_tokens: count.optional(),
        cache_creation_tokens: count.optional(),
      })
      .optional(),
    finish_reason: z.object({ unified: z.string(), raw: z.string().optional() }).optional(),
    error: z
      .object({
        kind: ErrorKind,
        message: z.string(),
        retryable: z.boolean(),
        status_code: z.int().optional(),
        /** The provider's own words. */
        said: z.string().optional(),
      })
      .optional(),
    first_token_ms: ms.optional(),
    duration_ms: ms,
  })
  .meta({ id: 'DebugEntry' });
export type DebugEntry = z.infer<typeof DebugEntry>;

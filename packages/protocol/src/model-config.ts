import { z } from 'zod';
import { Uuid } from './ids.ts';
import { JsonObject } from './json.ts';
import { ReasoningEffort } from './reasoning-effort.ts';

const micros = z.int().nonnegative();

/** Per million tokens, in millionths of the currency unit. */
export const Price = z.object({
  input: micros,
  output: micros,
  cache_read: micros.optional(),
  cache_write: micros.optional(),
});
export type Price = z.infer<typeof Price>;

export const WebSearch = z.object({
  allowed_domains: z.array(z.string()).optional(),
  blocked_domains: z.array(z.string()).optional(),
  context_size: z.enum(['low', 'medium', 'high']).optional(),
});
export type WebSearch = z.infer<typeof WebSearch>;

/** A model as an admin configured it: what a chat names to say by whom it is answered. */
export const ModelConfig = z
  .object({
    id: Uuid,
    provider_id: Uuid,
    model: z.string(),
    display_name: z.string(),
    context_limit: z.int().positive(),
    /** Percent of the context limit at which the history is summarised; 100 turns it off. */
    compaction_threshold: z.int().min(0).max(100),
    max_output_tokens: z.int().positive().optional(),
    temperature: z.number().min(0).optional(),
    top_p: z.number().min(0).max(1).optional(),
    top_k: z.int().positive().optional(),
    reasoning_effort: z.object({ default: ReasoningEffort, max: ReasoningEffort }).optional(),
    price: Price.optional(),
    web_search: WebSearch.optional(),
    provider_options: JsonObject.optional(),
    enabled: z.boolean(),
    is_default: z.boolean(),
  })
  .meta({ id: 'ModelConfig' });
export type ModelConfig = z.infer<typeof ModelConfig>;

import { z } from 'zod';
import { ChatError } from './chat-error.ts';
import { Uuid } from './ids.ts';
import { JsonObject } from './json.ts';
import { Usage } from './message.ts';
import { ProviderType } from './provider.ts';
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
    /** As the provider's AI SDK package names them, by the package's own name. */
    provider_options: JsonObject.optional(),
    /** Who titles chats and who summarises them, if it is another one. */
    title_model_config_id: Uuid.nullable().optional(),
    summary_model_config_id: Uuid.nullable().optional(),
    enabled: z.boolean(),
    is_default: z.boolean(),
  })
  .meta({ id: 'ModelConfig' });
export type ModelConfig = z.infer<typeof ModelConfig>;

/** What happened when a model was asked for a word. */
export const ModelTest = z
  .object({
    ok: z.boolean(),
    /** In words. */
    message: z.string(),
    latency_ms: z.int().nonnegative(),
    /** What it answered. */
    text: z.string().optional(),
    usage: Usage.optional(),
    cost_micros: z.int().nonnegative().nullable().optional(),
    error: ChatError.optional(),
  })
  .meta({ id: 'ModelTest' });
export type ModelTest = z.infer<typeof ModelTest>;

/** A model that a provider offers, with what it says of it and what is known otherwise. */
export const OfferedModel = z.object({
  id: z.string(),
  name: z.string().optional(),
  context_limit: z.int().positive().optional(),
  max_output_tokens: z.int().positive().optional(),
  price: Price.optional(),
  reasoning: z.boolean().optional(),
  vision: z.boolean().optional(),
  note: z.string().optional(),
  /** There is a model config for it. */
  configured: z.boolean(),
});
export type OfferedModel = z.infer<typeof OfferedModel>;

export const ProviderOffer = z
  .object({
    provider_id: Uuid,
    type: ProviderType,
    name: z.string(),
    models: z.array(OfferedModel),
    /** Why it could not be asked; the models are then those that are known. */
    error: ChatError.optional(),
  })
  .meta({ id: 'ProviderOffer' });
export type ProviderOffer = z.infer<typeof ProviderOffer>;

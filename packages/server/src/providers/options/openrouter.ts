import type { OpenRouterProviderOptions } from '@openrouter/ai-sdk-provider';
import { z } from 'zod';
import type { OptionShape } from './option-shape.ts';

const shape = {
  models: z.array(z.string()).max(16).optional(),
  reasoning: z
    .strictObject({
      enabled: z.boolean().optional(),
      exclude: z.boolean().optional(),
      max_tokens: z.int().positive().optional(),
      effort: z.enum(['xhigh', 'high', 'medium', 'low', 'minimal', 'none']).optional(),
    })
    .optional(),
  user: z.string().max(256).optional(),
} satisfies OptionShape<OpenRouterProviderOptions>;

const price = z.number().nonnegative().optional();

/** The package passes options on, so these are the ones that the service documents. */
export const openrouterOptions = z.strictObject({
  ...shape,
  provider: z
    .strictObject({
      order: z.array(z.string()).optional(),
      only: z.array(z.string()).optional(),
      ignore: z.array(z.string()).optional(),
      allow_fallbacks: z.boolean().optional(),
      require_parameters: z.boolean().optional(),
      data_collection: z.enum(['allow', 'deny']).optional(),
      zdr: z.boolean().optional(),
      quantizations: z.array(z.string()).optional(),
      sort: z.enum(['price', 'throughput', 'latency']).optional(),
      max_price: z
        .strictObject({ prompt: price, completion: price, request: price, image: price })
        .optional(),
    })
    .optional(),
  transforms: z.array(z.enum(['middle-out'])).optional(),
  cache_control: z
    .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  verbosity: z.enum(['low', 'medium', 'high']).optional(),
});

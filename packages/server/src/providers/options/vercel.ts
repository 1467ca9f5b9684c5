import type { GatewayProviderOptions } from '@ai-sdk/gateway';
import { z } from 'zod';
import type { OptionShape } from './option-shape.ts';

/** Its type is open; these are the named options. */
type Named = {
  [
    Name in keyof GatewayProviderOptions as string extends Name ? never : Name
  ]: GatewayProviderOptions[Name];
};

/** Keys are stored separately; the others concern single calls, images and batches. */
type LeftOut =
  | 'byok'
  | 'idempotencyKey'
  | 'experimental_streamingImageDecoding'
  | 'providerTimeouts';

const slugs = z.array(z.string().max(100)).max(32);

export const vercelOptions = z.strictObject({
  caching: z.literal('auto').optional(),
  disallowPromptTraining: z.boolean().optional(),
  headquarters: z.array(z.string().regex(/^!?[A-Z]{2}$/)).optional(),
  has: z.array(z.string().max(64)).optional(),
  models: slugs.optional(),
  only: slugs.optional(),
  order: slugs.optional(),
  quotaEntityId: z.string().max(256).optional(),
  serviceTier: z.enum(['flex', 'priority']).optional(),
  sort: z.enum(['cost', 'tps', 'ttft']).optional(),
  tags: slugs.optional(),
  user: z.string().max(256).optional(),
  zeroDataRetention: z.boolean().optional(),
} satisfies OptionShape<Named, LeftOut>);

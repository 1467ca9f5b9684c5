import type { AmazonBedrockLanguageModelChatOptions } from '@ai-sdk/amazon-bedrock';
import { JsonObject } from '@chatd/protocol';
import { z } from 'zod';
import type { OptionShape } from './option-shape.ts';

/** For JSON responses. */
type LeftOut = 'structuredOutputMode';

export const bedrockOptions = z.strictObject({
  /** Passed to the model unchanged. */
  additionalModelRequestFields: JsonObject.optional(),
  reasoningConfig: z
    .strictObject({
      type: z.enum(['enabled', 'disabled', 'adaptive']).optional(),
      budgetTokens: z.int().min(1024).optional(),
      maxReasoningEffort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
      display: z.enum(['omitted', 'summarized']).optional(),
    })
    .optional(),
  anthropicBeta: z.array(z.string()).max(32).optional(),
  serviceTier: z.enum(['reserved', 'priority', 'default', 'flex']).optional(),
} satisfies OptionShape<AmazonBedrockLanguageModelChatOptions, LeftOut>);

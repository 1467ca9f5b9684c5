import type { AmazonBedrockLanguageModelChatOptions } from '@ai-sdk/amazon-bedrock';
import { JsonObject } from '@chatd/protocol';
import { z } from 'zod';
import type { OptionShape } from './option-shape.ts';

/** For answers in JSON. */
type LeftOut = 'structuredOutputMode';

export const bedrockOptions = z.strictObject({
  /** Passed on to the model as it is. */
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

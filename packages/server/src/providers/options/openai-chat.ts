import type { OpenAILanguageModelChatOptions } from '@ai-sdk/openai';
import { z } from 'zod';
import type { OptionShape } from './option-shape.ts';

type LeftOut = 'prediction' | 'logprobs';

export const openaiChatOptions = z.strictObject({
  logitBias: z.record(z.string().regex(/^\d+$/), z.number().min(-100).max(100)).optional(),
  parallelToolCalls: z.boolean().optional(),
  user: z.string().max(256).optional(),
  reasoningEffort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
  maxCompletionTokens: z.int().positive().optional(),
  store: z.boolean().optional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).optional(),
  serviceTier: z.enum(['auto', 'flex', 'priority', 'fast', 'ultrafast', 'default']).optional(),
  strictJsonSchema: z.boolean().optional(),
  textVerbosity: z.enum(['low', 'medium', 'high']).optional(),
  promptCacheKey: z.string().max(256).optional(),
  promptCacheOptions: z
    .strictObject({
      mode: z.enum(['implicit', 'explicit']).optional(),
      ttl: z.literal('30m').optional(),
    })
    .optional(),
  promptCacheRetention: z.enum(['in_memory', '24h']).optional(),
  safetyIdentifier: z.string().max(256).optional(),
  systemMessageMode: z.enum(['system', 'developer', 'remove']).optional(),
  forceReasoning: z.boolean().optional(),
} satisfies OptionShape<OpenAILanguageModelChatOptions, LeftOut>);

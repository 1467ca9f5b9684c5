import type { OpenAILanguageModelResponsesOptions } from '@ai-sdk/openai';
import { z } from 'zod';
import type { OptionShape } from './option-shape.ts';

/** Chaining, instructions, tool choice and compaction belong to the loop. */
type LeftOut =
  | 'conversation'
  | 'previousResponseId'
  | 'instructions'
  | 'contextManagement'
  | 'compactionTrigger'
  | 'allowedTools'
  | 'reasoningEffortUpdate'
  | 'logprobs';

export const openaiResponsesOptions = z.strictObject({
  include: z
    .array(
      z.enum([
        'reasoning.encrypted_content',
        'file_search_call.results',
        'web_search_call.results',
        'message.output_text.logprobs',
      ]),
    )
    .optional(),
  includeWebSearchSources: z.boolean().optional(),
  maxToolCalls: z.int().positive().optional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).optional(),
  parallelToolCalls: z.boolean().optional(),
  promptCacheKey: z.string().max(256).optional(),
  promptCacheOptions: z
    .strictObject({
      mode: z.enum(['implicit', 'explicit']).optional(),
      ttl: z.enum(['30m', '12h']).optional(),
    })
    .optional(),
  promptCacheRetention: z.enum(['in_memory', '24h']).optional(),
  reasoningEffort: z.string().max(20).optional(),
  reasoningMode: z.enum(['standard', 'pro']).optional(),
  reasoningContext: z.enum(['auto', 'current_turn', 'all_turns']).optional(),
  reasoningSummary: z.enum(['auto', 'concise', 'detailed']).optional(),
  safetyIdentifier: z.string().max(256).optional(),
  serviceTier: z.enum(['auto', 'flex', 'priority', 'fast', 'ultrafast', 'default']).optional(),
  /** true: continue from the response stored by the service. false: send the whole history each time. */
  store: z.boolean().optional(),
  passThroughUnsupportedFiles: z.boolean().optional(),
  strictJsonSchema: z.boolean().optional(),
  textVerbosity: z.enum(['low', 'medium', 'high']).optional(),
  truncation: z.enum(['auto', 'disabled']).optional(),
  user: z.string().max(256).optional(),
  systemMessageMode: z.enum(['system', 'developer', 'remove']).optional(),
  forceReasoning: z.boolean().optional(),
} satisfies OptionShape<OpenAILanguageModelResponsesOptions, LeftOut>);

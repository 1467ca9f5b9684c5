import type { AnthropicLanguageModelOptions } from '@ai-sdk/anthropic';
import { JsonObject } from '@chatd/protocol';
import { z } from 'zod';
import type { OptionShape } from './option-shape.ts';

/** Options that chatd sets itself, that would contain secrets, or that have no meaning in a chat. */
type LeftOut =
  | 'thread'
  | 'compaction'
  | 'mcpServers'
  | 'container'
  | 'structuredOutputMode'
  | 'includePings'
  | 'cacheControl'
  | 'safeguards';

const tokens = z.strictObject({ type: z.literal('input_tokens'), value: z.int().positive() });
const uses = z.strictObject({ type: z.literal('tool_uses'), value: z.int().nonnegative() });

export const anthropicOptions = z.strictObject({
  sendReasoning: z.boolean().optional(),
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('adaptive'),
        display: z.enum(['omitted', 'summarized', 'updates']).optional(),
      }),
      z.strictObject({ type: z.literal('enabled'), budgetTokens: z.int().min(1024).optional() }),
      z.strictObject({ type: z.literal('disabled') }),
      z.strictObject({ type: z.literal('between_tools') }),
    ])
    .optional(),
  disableParallelToolUse: z.boolean().optional(),
  metadata: z.strictObject({ userId: z.string().max(256).optional() }).optional(),
  toolStreaming: z.boolean().optional(),
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
  taskBudget: z.strictObject({ type: z.literal('tokens'), total: z.int().min(20_000) }).optional(),
  speed: z.enum(['fast', 'standard']).optional(),
  serviceTier: z.enum(['auto', 'standard_only', 'standard', 'priority']).optional(),
  inferenceGeo: z.enum(['us', 'global']).optional(),
  fallbacks: z
    .union([
      z.literal('default'),
      z
        .array(
          z.strictObject({
            model: z.string(),
            max_tokens: z.int().positive().optional(),
            thinking: JsonObject.optional(),
            output_config: JsonObject.optional(),
            speed: z.enum(['fast', 'standard']).optional(),
          }),
        )
        .max(8),
    ])
    .optional(),
  anthropicBeta: z.array(z.string()).max(32).optional(),
  // Without context compaction by the provider: the loop does that, and shows it in the chat.
  contextManagement: z
    .strictObject({
      edits: z.array(
        z.discriminatedUnion('type', [
          z.strictObject({
            type: z.literal('clear_tool_uses_20250919'),
            trigger: z.discriminatedUnion('type', [tokens, uses]).optional(),
            keep: uses.optional(),
            clearAtLeast: tokens.optional(),
            clearToolInputs: z.boolean().optional(),
            excludeTools: z.array(z.string()).optional(),
          }),
          z.strictObject({
            type: z.literal('clear_thinking_20251015'),
            keep: z
              .union([
                z.literal('all'),
                z.strictObject({ type: z.literal('thinking_turns'), value: z.int().positive() }),
              ])
              .optional(),
          }),
        ]),
      ),
    })
    .optional(),
} satisfies OptionShape<AnthropicLanguageModelOptions, LeftOut>);

import type { OpenAICompatibleLanguageModelChatOptions } from '@ai-sdk/openai-compatible';
import { JsonObject } from '@chatd/protocol';
import { z } from 'zod';
import type { OptionShape } from './option-shape.ts';

const shape = {
  user: z.string().max(256).optional(),
  reasoningEffort: z.string().max(20).nullable().optional(),
  textVerbosity: z.string().max(20).optional(),
  strictJsonSchema: z.boolean().optional(),
} satisfies OptionShape<OpenAICompatibleLanguageModelChatOptions>;

/** Fields that are always sent, and fields that change the response format. */
const OWN_FIELDS = ['model', 'messages', 'tools', 'tool_choice', 'stream', 'stream_options', 'n'];

export const openaiCompatibleOptions = z.strictObject({
  ...shape,
  /** Added to the body of every request: options of Ollama, vLLM and others, under their own names. */
  extra_body: JsonObject.refine(
    (body) => !OWN_FIELDS.some((field) => Object.hasOwn(body, field)),
    `must not contain ${OWN_FIELDS.join(', ')}`,
  ).optional(),
});

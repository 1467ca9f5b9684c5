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

/** What is sent anyway, and what decides how the answer comes. */
const OWN_FIELDS = ['model', 'messages', 'tools', 'tool_choice', 'stream', 'stream_options', 'n'];

export const openaiCompatibleOptions = z.strictObject({
  ...shape,
  /** Sent along in the body of every request: what Ollama, vLLM and others know besides, as they name it. */
  extra_body: JsonObject.refine(
    (body) => !OWN_FIELDS.some((field) => Object.hasOwn(body, field)),
    `must not hold ${OWN_FIELDS.join(', ')}`,
  ).optional(),
});

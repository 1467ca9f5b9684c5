import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';
import { Json } from './json.ts';

/*
 * The smallest pieces of a message, as clients see them. What the server keeps beside them (provider
 * metadata, signatures, raw arguments) is not named here, and what is not named here never leaves it.
 */

export const TextPart = z.object({ type: z.literal('text'), text: z.string() });

export const ReasoningPart = z.object({
  type: z.literal('reasoning'),
  text: z.string(),
  created_at: Timestamp.optional(),
  completed_at: Timestamp.optional(),
});

export const ToolCallPart = z.object({
  type: z.literal('tool-call'),
  tool_call_id: z.string(),
  tool_name: z.string(),
  args: Json.optional(),
  /** Live only: the next piece of the arguments, as text. */
  args_delta: z.string().optional(),
  provider_executed: z.boolean().optional(),
  created_at: Timestamp.optional(),
});

export const ToolResultPart = z.object({
  type: z.literal('tool-result'),
  tool_call_id: z.string(),
  tool_name: z.string(),
  result: Json.optional(),
  /** Live only: the next piece of the output of a tool that is still running. */
  result_delta: z.string().optional(),
  is_error: z.boolean().optional(),
  is_media: z.boolean().optional(),
  file_ids: z.array(Uuid).optional(),
  provider_executed: z.boolean().optional(),
  created_at: Timestamp.optional(),
});

export const SourcePart = z.object({
  type: z.literal('source'),
  source_id: z.string(),
  url: z.string(),
  title: z.string().optional(),
});

export const FilePart = z.object({
  type: z.literal('file'),
  file_id: Uuid,
  media_type: z.string(),
  name: z.string().optional(),
});

export const FileReferencePart = z.object({
  type: z.literal('file-reference'),
  file_name: z.string(),
  start_line: z.int().nonnegative(),
  end_line: z.int().nonnegative(),
  content: z.string(),
});

export const Part = z
  .discriminatedUnion('type', [
    TextPart,
    ReasoningPart,
    ToolCallPart,
    ToolResultPart,
    SourcePart,
    FilePart,
    FileReferencePart,
  ])
  .meta({ id: 'Part' });

export type TextPart = z.infer<typeof TextPart>;
export type ReasoningPart = z.infer<typeof ReasoningPart>;
export type ToolCallPart = z.infer<typeof ToolCallPart>;
export type ToolResultPart = z.infer<typeof ToolResultPart>;
export type SourcePart = z.infer<typeof SourcePart>;
export type FilePart = z.infer<typeof FilePart>;
export type FileReferencePart = z.infer<typeof FileReferencePart>;
export type Part = z.infer<typeof Part>;

/** What a client may send. `media_type` and `name` of a file are those of the upload. */
const InputPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('file'), file_id: Uuid }),
  z.strictObject({
    type: z.literal('file-reference'),
    file_name: z.string().min(1).max(1024),
    start_line: z.int().nonnegative(),
    end_line: z.int().nonnegative(),
    content: z.string(),
  }),
]);
export type InputPart = z.infer<typeof InputPart>;

const isBlank = (part: InputPart) => part.type === 'text' && part.text.trim() === '';

/** A string stands for one text part. */
export const Content = z
  .union([z.string(), z.array(InputPart).max(100)])
  .transform((content): InputPart[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  )
  .refine((parts) => parts.some((part) => !isBlank(part)), 'must not be empty or blank')
  .meta({ id: 'Content' });
export type Content = z.infer<typeof Content>;

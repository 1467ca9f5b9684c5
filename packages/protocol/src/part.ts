import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';
import { Json } from './json.ts';

/*
 * Parts as clients see them. The server also stores provider metadata, signatures and raw arguments; fields that are
 * not declared here never leave the server.
 */

const partType = <T extends string>(type: T) => z.literal(type).describe('Type of the part.');

const ToolCallId = z.string().meta({
  description: 'Links a call to its result. Unique within the chat.',
  examples: ['toolu_01'],
});
const ToolName = z
  .string()
  .meta({ description: 'Name of the called tool.', examples: ['execute'] });
const ProviderExecuted = z
  .boolean()
  .optional()
  .describe('True if the provider executed the tool itself, such as web search. Absent otherwise.');

export const TextPart = z
  .object({
    type: partType('text'),
    text: z.string().describe('Markdown. Live: the next delta, to append.'),
  })
  .meta({ title: 'text', description: 'Text of the user or the model.' });

export const ReasoningPart = z
  .object({
    type: partType('reasoning'),
    text: z
      .string()
      .describe(
        'Reasoning as disclosed by the provider. May be empty. Live: the next delta, to append.',
      ),
    created_at: Timestamp.optional().describe('Start time. Live: only in the first delta.'),
    completed_at: Timestamp.optional().describe('End time. Live: only in the last delta.'),
  })
  .meta({ title: 'reasoning', description: 'Reasoning of the model.' });

export const ToolCallPart = z
  .object({
    type: partType('tool-call'),
    tool_call_id: ToolCallId,
    tool_name: ToolName,
    args: Json.optional().describe(
      'Arguments of the call. `{}` if the model produced invalid JSON. Absent in live deltas.',
    ),
    args_delta: z
      .string()
      .optional()
      .describe('Live only: the next delta of the arguments, as JSON text to append.'),
    provider_executed: ProviderExecuted,
    created_at: Timestamp.optional().describe(
      'Time when the call was complete. Absent in live deltas.',
    ),
  })
  .meta({ title: 'tool-call', description: 'A tool call of the model.' });

export const ToolResultPart = z
  .object({
    type: partType('tool-result'),
    tool_call_id: ToolCallId,
    tool_name: ToolName,
    result: Json.optional().describe(
      'Output of the tool, truncated if very long. With `is_error`, the error. Encrypted fields of provider-executed results are removed. Absent in live deltas.',
    ),
    result_delta: z
      .string()
      .optional()
      .describe("Live only: the next delta of a running tool's output, to append."),
    is_error: z
      .boolean()
      .optional()
      .describe('True if the call failed or was not run. Absent otherwise.'),
    is_media: z
      .boolean()
      .optional()
      .describe(
        'True if the result has files in `file_ids`; `result` is the accompanying text. Absent otherwise.',
      ),
    file_ids: z
      .array(Uuid)
      .optional()
      .describe(
        'Files created by the tool, such as screenshots. Download them with `getFile`. Absent if there are none.',
      ),
    provider_executed: ProviderExecuted,
    started_at: Timestamp.optional().describe(
      'Time when the tool started, if the call waited for an approval. Live: sent once, before any output. Absent otherwise.',
    ),
    created_at: Timestamp.optional().describe(
      'Time when the result was available. Absent in live deltas.',
    ),
  })
  .meta({
    title: 'tool-result',
    description: 'Result of a tool call. Every call gets exactly one.',
  });

export const SourcePart = z
  .object({
    type: partType('source'),
    source_id: z.string().describe('ID of the source at the provider.'),
    url: z.string().describe('Web address, or `document:NAME` for a cited file.'),
    title: z.string().optional().describe('Title of the source. Absent if the provider sent none.'),
    cited: z
      .boolean()
      .optional()
      .describe(
        'True if the preceding text cites the source. Absent: a source without a position in the text.',
      ),
  })
  .meta({
    title: 'source',
    description: 'A source of the response, such as a page found by web search.',
  });

const FILE = {
  title: 'file',
  description: 'A file, attached by the user or created by the model.',
};

export const FilePart = z
  .object({
    type: partType('file'),
    file_id: Uuid.describe('ID for `getFile`. The file may have been deleted.'),
    media_type: z
      .string()
      .meta({ description: 'Media type of the file.', examples: ['image/png'] }),
    name: z
      .string()
      .optional()
      .describe('File name of the upload. Absent in files created by the model.'),
  })
  .meta(FILE);

const REFERENCE = {
  title: 'file-reference',
  description: 'Lines of a file that the user refers to, with a copy of their content.',
};
const StartLine = z.int().nonnegative().describe('First line.');
const EndLine = z.int().nonnegative().describe('Last line.');
const Lines = z
  .string()
  .describe('Content of the lines. The model sees this content, not the file.');

export const FileReferencePart = z
  .object({
    type: partType('file-reference'),
    file_name: z.string().meta({
      description: 'File name set by the client, usually a path.',
      examples: ['src/main.ts'],
    }),
    start_line: StartLine,
    end_line: EndLine,
    content: Lines,
  })
  .meta(REFERENCE);

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
  .meta({
    id: 'Part',
    description: 'A part of a message. Live parts in the stream are deltas of these.',
  });

export type TextPart = z.infer<typeof TextPart>;
export type ReasoningPart = z.infer<typeof ReasoningPart>;
export type ToolCallPart = z.infer<typeof ToolCallPart>;
export type ToolResultPart = z.infer<typeof ToolResultPart>;
export type SourcePart = z.infer<typeof SourcePart>;
export type FilePart = z.infer<typeof FilePart>;
export type FileReferencePart = z.infer<typeof FileReferencePart>;
export type Part = z.infer<typeof Part>;

const InputPart = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: partType('text'),
        text: z.string().describe('Text. May be blank if another part is not.'),
      })
      .meta({ title: 'text', description: 'Text of the user.' }),
    z
      .strictObject({
        type: partType('file'),
        file_id: Uuid.describe('One of your files, from `uploadFile`.'),
      })
      .meta({
        title: 'file',
        description: 'A file. Its name and media type are those of the upload.',
      }),
    z
      .strictObject({
        type: partType('file-reference'),
        file_name: z
          .string()
          .min(1)
          .max(1024)
          .meta({
            description: 'File name, usually a path.',
            examples: ['src/main.ts'],
          }),
        start_line: StartLine,
        end_line: EndLine,
        content: Lines,
      })
      .meta(REFERENCE),
  ])
  .meta({ id: 'InputPart', description: 'A part of a user message.' });
export type InputPart = z.infer<typeof InputPart>;

const isBlank = (part: InputPart) => part.type === 'text' && part.text.trim() === '';

export const Content = z
  .union([
    z.string().meta({
      title: 'text',
      description: 'Short form of a single text part.',
      examples: ['Hello!'],
    }),
    z.array(InputPart).max(100).meta({ title: 'parts', description: 'At most 100 parts.' }),
  ])
  .transform((content): InputPart[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  )
  .refine((parts) => parts.some((part) => !isBlank(part)), 'must not be empty or blank')
  .meta({
    id: 'Content',
    description:
      'Content of a user message: text or a list of parts. At least one part must not be blank.',
    examples: ['Hello!'],
  });
export type Content = z.infer<typeof Content>;

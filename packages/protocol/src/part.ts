import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';
import { Json } from './json.ts';

/*
 * The smallest pieces of a message, as clients see them. What the server keeps beside them (provider
 * metadata, signatures, raw arguments) is not named here, and what is not named here never leaves it.
 */

const partType = <T extends string>(type: T) => z.literal(type).describe('Which part it is.');

const ToolCallId = z.string().meta({
  description: 'Joins a call and its result. Unique within the chat.',
  examples: ['toolu_01'],
});
const ToolName = z
  .string()
  .meta({ description: 'The tool that was called.', examples: ['execute'] });
const ProviderExecuted = z
  .boolean()
  .optional()
  .describe(
    'The provider ran it itself, such as its web search. Absent: chatd, a client or a person answers.',
  );

export const TextPart = z
  .object({
    type: partType('text'),
    text: z.string().describe('Markdown, from a model. Live: the next piece, to append.'),
  })
  .meta({ title: 'text', description: 'Something that was said.' });

export const ReasoningPart = z
  .object({
    type: partType('reasoning'),
    text: z
      .string()
      .describe(
        'What the provider shows of the reasoning; may be empty. Live: the next piece, to append.',
      ),
    created_at: Timestamp.optional().describe('When it began. Live: only in its first piece.'),
    completed_at: Timestamp.optional().describe('When it ended. Live: only in its last piece.'),
  })
  .meta({ title: 'reasoning', description: 'What the model thought before it went on.' });

export const ToolCallPart = z
  .object({
    type: partType('tool-call'),
    tool_call_id: ToolCallId,
    tool_name: ToolName,
    args: Json.optional().describe(
      'The arguments; `{}` if the model gave what is no JSON. Absent in live pieces.',
    ),
    args_delta: z
      .string()
      .optional()
      .describe('Live only: the next piece of the arguments, as JSON text to append.'),
    provider_executed: ProviderExecuted,
    created_at: Timestamp.optional().describe('When the call was complete. Absent in live pieces.'),
  })
  .meta({ title: 'tool-call', description: 'The model calls a tool.' });

export const ToolResultPart = z
  .object({
    type: partType('tool-result'),
    tool_call_id: ToolCallId,
    tool_name: ToolName,
    result: Json.optional().describe(
      'What the tool answered, cut if it was very long; with `is_error`, what went wrong. Encrypted fields of a provider-executed result are removed. Absent in live pieces.',
    ),
    result_delta: z
      .string()
      .optional()
      .describe(
        'Live only: the next piece of the output of a tool that is still running, to append.',
      ),
    is_error: z
      .boolean()
      .optional()
      .describe('The call failed, or was not run. Absent if it succeeded.'),
    is_media: z
      .boolean()
      .optional()
      .describe(
        'The result has files, in `file_ids`; `result` is the text beside them. Absent if it has none.',
      ),
    file_ids: z
      .array(Uuid)
      .optional()
      .describe(
        'Files that the tool made, such as screenshots, for `getFile`. Absent if it made none.',
      ),
    provider_executed: ProviderExecuted,
    created_at: Timestamp.optional().describe('When the result was there. Absent in live pieces.'),
  })
  .meta({
    title: 'tool-result',
    description: 'The result of a call: every call gets exactly one.',
  });

export const SourcePart = z
  .object({
    type: partType('source'),
    source_id: z.string().describe("The provider's name for it."),
    url: z
      .string()
      .describe('Where it is: a web address, or `document:NAME` for a file that is cited.'),
    title: z.string().optional().describe('Absent if the provider gave none.'),
    cited: z
      .boolean()
      .optional()
      .describe(
        'The text right before this part cites the source. Absent: a source that the provider found, without a position in the text.',
      ),
  })
  .meta({
    title: 'source',
    description: 'A source of the answer, such as a page that a web search found.',
  });

const FILE = { title: 'file', description: 'A file: attached by the user, or made by the model.' };

export const FilePart = z
  .object({
    type: partType('file'),
    file_id: Uuid.describe('For `getFile`. The file itself may have been deleted.'),
    media_type: z.string().meta({ description: 'What it is.', examples: ['image/png'] }),
    name: z
      .string()
      .optional()
      .describe('As it was uploaded. Absent in a file that the model made.'),
  })
  .meta(FILE);

const REFERENCE = {
  title: 'file-reference',
  description: 'Lines of a file that the user points to, with what they said then.',
};
const StartLine = z.int().nonnegative().describe('The first line.');
const EndLine = z.int().nonnegative().describe('The last line.');
const Lines = z.string().describe('The lines themselves. The model sees these, not the file.');

export const FileReferencePart = z
  .object({
    type: partType('file-reference'),
    file_name: z.string().meta({
      description: 'As the client named it, usually with its path.',
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
    description: 'A piece of a message. In the stream, live parts are pieces of these.',
  });

export type TextPart = z.infer<typeof TextPart>;
export type ReasoningPart = z.infer<typeof ReasoningPart>;
export type ToolCallPart = z.infer<typeof ToolCallPart>;
export type ToolResultPart = z.infer<typeof ToolResultPart>;
export type SourcePart = z.infer<typeof SourcePart>;
export type FilePart = z.infer<typeof FilePart>;
export type FileReferencePart = z.infer<typeof FileReferencePart>;
export type Part = z.infer<typeof Part>;

/** What a client may send. `media_type` and `name` of a file are those of the upload. */
const InputPart = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: partType('text'),
        text: z.string().describe('May be blank if another part is not.'),
      })
      .meta({ title: 'text', description: 'Something that is said.' }),
    z
      .strictObject({
        type: partType('file'),
        file_id: Uuid.describe('A file of yours, from `uploadFile`.'),
      })
      .meta({ title: 'file', description: 'A file. Its name and type are those of the upload.' }),
    z
      .strictObject({
        type: partType('file-reference'),
        file_name: z
          .string()
          .min(1)
          .max(1024)
          .meta({
            description: 'What to call it, usually with its path.',
            examples: ['src/main.ts'],
          }),
        start_line: StartLine,
        end_line: EndLine,
        content: Lines,
      })
      .meta(REFERENCE),
  ])
  .meta({ id: 'InputPart', description: 'A part of what the user says.' });
export type InputPart = z.infer<typeof InputPart>;

const isBlank = (part: InputPart) => part.type === 'text' && part.text.trim() === '';

/** A string stands for one text part. */
export const Content = z
  .union([
    z
      .string()
      .meta({ title: 'text', description: 'The same as one text part.', examples: ['Hello!'] }),
    z.array(InputPart).max(100).meta({ title: 'parts', description: 'At most 100 parts.' }),
  ])
  .transform((content): InputPart[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  )
  .refine((parts) => parts.some((part) => !isBlank(part)), 'must not be empty or blank')
  .meta({
    id: 'Content',
    description: 'What the user says: text, or a list of parts. Not all of it may be blank.',
    examples: ['Hello!'],
  });
export type Content = z.infer<typeof Content>;

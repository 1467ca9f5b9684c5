import { z } from 'zod';

/** A chunk of the AI SDK's UI message stream; what there is of them is described there. */
export const UiMessageChunk = z
  .looseObject({
    type: z.string().meta({
      description: 'Which chunk it is; what else it holds follows from that.',
      examples: ['text-delta'],
    }),
  })
  .meta({
    id: 'UiMessageChunk',
    description:
      "A chunk of the AI SDK's UI message stream protocol, v1, whose documentation has all their fields. The stream ends with `[DONE]`.",
  });

/** A message as the AI SDK's front ends keep it. Of its parts, those count that a person or a tool made. */
export const UiMessage = z
  .looseObject({
    id: z
      .string()
      .max(256)
      .meta({
        description:
          "Of a reply, as the stream gave it; of a message of the user, the front end's own.",
        examples: ['reply-1'],
      }),
    role: z.enum(['system', 'user', 'assistant']).describe('Who speaks.'),
    parts: z
      .array(
        z.looseObject({
          type: z.string().meta({
            description: 'Which part it is, as the AI SDK names them.',
            examples: ['text'],
          }),
        }),
      )
      .max(10_000)
      .describe(
        'Of the user: `text`, and `file` with a `data:` URL or one of `/api/v1/files`. Of the assistant: outputs of tools and approvals count.',
      ),
  })
  .meta({
    id: 'UiMessage',
    description:
      'A message as front ends of the AI SDK keep it. It may have more fields; they are passed over.',
  });

import { z } from 'zod';

export const UiMessageChunk = z
  .looseObject({
    type: z.string().meta({
      description: 'Type of the chunk, which determines its other fields.',
      examples: ['text-delta'],
    }),
  })
  .meta({
    id: 'UiMessageChunk',
    description:
      "A chunk of the AI SDK's UI message stream protocol, v1. See the AI SDK documentation for all types. The stream ends with `[DONE]`.",
  });

export const UiMessage = z
  .looseObject({
    id: z
      .string()
      .max(256)
      .meta({
        description:
          'ID of the message. Assistant messages: as received in the stream. User messages: chosen by the front end.',
        examples: ['reply-1'],
      }),
    role: z.enum(['system', 'user', 'assistant']).describe('Author of the message.'),
    parts: z
      .array(
        z.looseObject({
          type: z.string().meta({
            description: 'Type of the part, as defined by the AI SDK.',
            examples: ['text'],
          }),
        }),
      )
      .max(10_000)
      .describe(
        'Parts of the message. In user messages: `text`, and `file` with a `data:` URL or a URL of `/api/v1/files`. In assistant messages, only tool outputs and approvals are used.',
      ),
  })
  .meta({
    id: 'UiMessage',
    description: 'A message of an AI SDK front end. Additional fields are ignored.',
  });

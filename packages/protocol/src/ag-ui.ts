import { z } from 'zod';
import { Json, JsonObject } from './json.ts';

const Id = z.string().min(1).max(256);

const AgUiMessage = z
  .object({
    id: Id.meta({
      description:
        'ID of the message. User and tool messages: chosen by the client, never reused. Other messages: as received in events.',
      examples: ['m1'],
    }),
    role: z
      .enum(['user', 'assistant', 'tool', 'system', 'developer', 'reasoning', 'activity'])
      .describe(
        'Author of the message. `system` and `developer` set the system prompt of the chat. `reasoning` and `activity` are ignored.',
      ),
    content: z
      .union([
        z.string(),
        z
          .array(
            z.looseObject({
              type: z.string().meta({
                description:
                  'Type of the part: `text`, or `image`, `audio`, `video`, `document` with a `source`.',
                examples: ['text'],
              }),
              text: z.string().optional().describe('Text of a `text` part.'),
            }),
          )
          .max(100),
        JsonObject,
      ])
      .optional()
      .describe(
        'Text, or parts. The source of a file is Base64 data, a `data:` URL, a URL of `/api/v1/files`, or the ID of one of your files.',
      ),
    toolCallId: Id.optional().describe('Tool messages: the call that this is the result of.'),
    error: z
      .string()
      .optional()
      .describe('Tool messages: why the call failed. Default: it succeeded.'),
  })
  .meta({ id: 'AgUiMessage', description: 'A message of AG-UI. Additional fields are ignored.' });
export type AgUiMessage = z.infer<typeof AgUiMessage>;

export const AgUiRunInput = z
  .object({
    threadId: Id.meta({
      description:
        'Conversation of the client, repeated in the events. `runAgUiThread`: selects the chat. `runAgUi`: the path selects the chat.',
      examples: ['thread-1'],
    }),
    runId: Id.meta({
      description: 'ID of the run, chosen by the client and repeated in the events.',
      examples: ['run-1'],
    }),
    messages: z
      .array(AgUiMessage)
      .max(10_000)
      .describe(
        'Conversation as the client has it. Only new user messages at its end and results of open calls are added to the chat; nothing is deleted. Without any, the run continues with the turn of the chat.',
      ),
    tools: z
      .array(
        z.object({
          name: z.string().meta({ description: 'Name of the tool.', examples: ['open_file'] }),
          description: z.string().max(8192).default('').describe('Description for the model.'),
          parameters: JsonObject.optional().describe(
            'JSON Schema of the arguments. Default: no arguments.',
          ),
        }),
      )
      .max(128)
      .default([])
      .describe('Tools that the client executes: they replace the dynamic tools of the chat.'),
    context: z
      .array(
        z.object({
          description: z.string().describe('What the value is.'),
          value: z.string().describe('Text for the model.'),
        }),
      )
      .max(100)
      .default([])
      .describe('Information for the model, which replaces that of the previous run.'),
    resume: z
      .array(
        z.object({
          interruptId: Id.describe('ID of the interrupt.'),
          status: z
            .enum(['resolved', 'cancelled'])
            .describe('`cancelled`: denies an approval, rejects a plan, leaves a question open.'),
          payload: Json.optional().describe(
            'Approvals: `{"approved": true}`, optionally with `reason` and `remember`. Questions and plans: an `Answer`.',
          ),
        }),
      )
      .max(4096)
      .optional()
      .describe('Answers to the interrupts of the previous run. Default: none.'),
    protocolVersion: z.string().optional().describe('Ignored.'),
    parentRunId: z.string().optional().describe('Ignored.'),
    state: Json.optional().describe('Ignored: chatd has no state besides the chat.'),
    forwardedProps: Json.optional().describe('Ignored.'),
  })
  .meta({
    id: 'AgUiRunInput',
    description: 'Input of a run, as defined by AG-UI 1.0. Additional fields are ignored.',
  });
export type AgUiRunInput = z.infer<typeof AgUiRunInput>;

export const AgUiEvent = z
  .looseObject({
    type: z.string().meta({
      description: 'Type of the event, which determines its other fields.',
      examples: ['TEXT_MESSAGE_CONTENT'],
    }),
  })
  .meta({
    id: 'AgUiEvent',
    description: 'An event of AG-UI 1.0. See the AG-UI documentation for all types.',
  });

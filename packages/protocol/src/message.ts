import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { SerialId, Timestamp, Uuid } from './ids.ts';
import { Part } from './part.ts';

export const Role = enumeration('Role', 'Author of a message.', {
  system: 'reserved; the system prompt is not a message',
  user: 'the user, or a program on behalf of the user',
  assistant: 'the model: one response, which is one step of a turn',
  tool: 'results of tool calls',
});
export type Role = z.infer<typeof Role>;

const tokens = z.int().nonnegative().optional();

export const Usage = z
  .object({
    input_tokens: tokens.describe(
      "Input tokens that were neither read from nor written to the provider's cache.",
    ),
    output_tokens: tokens.describe('Output tokens, including reasoning.'),
    reasoning_tokens: tokens.describe(
      'Output tokens used for reasoning, as reported by the provider.',
    ),
    cache_read_tokens: tokens.describe("Input tokens read from the provider's cache."),
    cache_creation_tokens: tokens.describe("Input tokens written to the provider's cache."),
    total_tokens: tokens.describe('Input and output tokens: the context in use after this call.'),
    context_limit: tokens.describe('Context limit of the model, in tokens.'),
  })
  .meta({
    id: 'Usage',
    description:
      'Token counts of one model call. Input counts do not overlap. Counts that the provider did not report are absent, never estimated.',
  });
export type Usage = z.infer<typeof Usage>;

const CutOff = z.enum(['length', 'content-filter', 'interrupted']);

export const Message = z
  .object({
    id: SerialId.describe(
      'ID of the message. Increases within the deployment, with gaps. Histories are sorted by it.',
    ),
    chat_id: Uuid.describe('Chat of the message.'),
    role: Role.describe('Author of the message.'),
    created_at: Timestamp.describe('Time of the commit. An edit does not change it.'),
    created_by: Uuid.optional().describe(
      'User who sent the message. Present only in user messages.',
    ),
    model_config_id: Uuid.optional().describe(
      'Assistant messages: the model that responded. User messages: the model selected to respond. Absent in tool messages.',
    ),
    content: z.array(Part).describe('Parts of the message, in order.'),
    usage: Usage.optional().describe(
      'Token counts of the model call behind the message: a response, or a summary in a tool message. Absent if the provider did not report them.',
    ),
    cost_micros: z
      .int()
      .nonnegative()
      .optional()
      .describe('Cost of that call, in millionths of a US dollar. Absent if unknown.'),
    runtime_ms: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'Duration in milliseconds. Assistant messages: all attempts and the delays between them. Tool messages: server-side tools. Absent in user messages.',
      ),
    queued_message_id: SerialId.optional().describe(
      'ID that the message had in the queue. Absent if it was not queued.',
    ),
    steered: z
      .boolean()
      .optional()
      .describe('The message joined a running turn between two steps. Absent: it began a turn.'),
    cut_off: CutOff.optional().describe(
      'Why a response is incomplete. `length`: the output limit was reached. `content-filter`: the provider withheld the rest. `interrupted`: stopped by a user. Absent if the response is complete.',
    ),
  })
  .meta({
    id: 'Message',
    description: 'A committed message. It changes only through an edit.',
  });
export type Message = z.infer<typeof Message>;

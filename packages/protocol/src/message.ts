import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { SerialId, Timestamp, Uuid } from './ids.ts';
import { Part } from './part.ts';

export const Role = enumeration('Role', 'Who speaks in a message.', {
  system: 'reserved; the system prompt is no message',
  user: 'the user, or whoever sends messages for them',
  assistant: 'the model: one response, which is one step of a turn',
  tool: 'results of tool calls',
});
export type Role = z.infer<typeof Role>;

const tokens = z.int().nonnegative().optional();

/** Tokens of one model call, by class. A class that the provider did not report is absent. */
export const Usage = z
  .object({
    input_tokens: tokens.describe("Of the prompt, without what touched the provider's cache."),
    output_tokens: tokens.describe('All that the model wrote, its reasoning included.'),
    reasoning_tokens: tokens.describe(
      'How much of the output was reasoning, as the provider says it.',
    ),
    cache_read_tokens: tokens.describe("Of the prompt, what came from the provider's cache."),
    cache_creation_tokens: tokens.describe("Of the prompt, what went into the provider's cache."),
    total_tokens: tokens.describe(
      'Prompt and output together: how much of the context is used after this call.',
    ),
    context_limit: tokens.describe(
      'How many tokens fit into the context of the model that answered.',
    ),
  })
  .meta({
    id: 'Usage',
    description:
      'Tokens of one model call, by class. Classes do not overlap. One that the provider did not report is absent, never guessed.',
  });
export type Usage = z.infer<typeof Usage>;

const CutOff = z.enum(['length', 'content-filter', 'interrupted']);

/** One committed message. */
export const Message = z
  .object({
    id: SerialId.describe(
      'Grows within the deployment: later messages have larger ids, with gaps. The order of a history.',
    ),
    chat_id: Uuid.describe('The chat that it belongs to.'),
    role: Role.describe('Who speaks.'),
    created_at: Timestamp.describe('When it was committed. An edit does not change it.'),
    created_by: Uuid.optional().describe('The user who sent it. Only of messages of the user.'),
    model_config_id: Uuid.optional().describe(
      'Of the assistant: the model that answered. Of the user: the one that was to answer. Absent in results of tools.',
    ),
    content: z.array(Part).describe('What was said, in order.'),
    usage: Usage.optional().describe(
      'Tokens of the call that made it: of answers, and of results that are a summary. Absent if the provider did not say.',
    ),
    cost_micros: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'What that call cost, in millionths of the currency of the prices. Absent if it is not known.',
      ),
    runtime_ms: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'Milliseconds that it took: of an answer, all attempts and the waits between them; of results, the tools on the server. Absent in messages of the user.',
      ),
    queued_message_id: SerialId.optional().describe(
      'The id that it had in the queue. Absent if it did not wait there.',
    ),
    cut_off: CutOff.optional().describe(
      'Why an answer ends before its end. `length`: the model may write no more. `content-filter`: the provider withheld the rest. `interrupted`: by a person. Absent if it ended by itself.',
    ),
  })
  .meta({
    id: 'Message',
    description: 'A committed message. It does not change, unless it is edited.',
  });
export type Message = z.infer<typeof Message>;

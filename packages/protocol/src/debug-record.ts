import { z } from 'zod';
import { ErrorKind } from './chat-error.ts';
import { Timestamp, Uuid } from './ids.ts';
import { Json } from './json.ts';

/** Whether model calls are recorded, and for how long. */
export const DebugRecordSetting = z
  .strictObject({
    enabled: z
      .boolean()
      .describe(
        'Record every model call, prompts and answers included. All servers follow within seconds.',
      ),
    retention_hours: z
      .int()
      .min(1)
      .max(24 * 30)
      .default(24)
      .describe('Entries are deleted when they are older than so many hours.'),
  })
  .meta({
    id: 'DebugRecordSetting',
    description: 'Whether model calls are recorded for admins, and for how long.',
  });

const count = z.int().nonnegative();
const ms = z.int().nonnegative();

/** One model call as it was made, without secrets, cut to size, and with media as the number of their bytes. */
export const DebugEntry = z
  .object({
    id: Uuid.describe('A UUIDv7: entries sort by the time at which their calls began.'),
    chat_id: Uuid.describe('The chat that the call was made for. Entries are deleted with it.'),
    created_at: Timestamp.describe('When the call began.'),
    purpose: z
      .enum(['turn', 'summary', 'title'])
      .describe(
        '`turn`: a step of a turn. `summary`: of a history that became too long. `title`: to find one.',
      ),
    model_config_id: Uuid.describe(
      'The model config that was called. It may have been changed or deleted since.',
    ),
    provider: z.string().meta({
      description: "As the model's package calls itself.",
      examples: ['anthropic.messages'],
    }),
    model: z
      .string()
      .meta({ description: 'As the provider names it.', examples: ['claude-sonnet-5-5'] }),
    attempt: z.int().positive().describe('From 1; more when the same step was tried before.'),
    outcome: z
      .enum(['completed', 'failed', 'stopped'])
      .describe(
        '`completed`: with a whole answer. `failed`: `error` says why. `stopped`: by chatd itself, for instance by an interrupt.',
      ),
    stopped: z
      .string()
      .optional()
      .meta({
        description:
          'The reason for which chatd ended the call. Absent unless `outcome` is `stopped`.',
        examples: ['Interrupted'],
      }),
    request: Json.describe(
      "What the model's package was given: `prompt`, `tools`, `settings`. Secrets are `[hidden]`, media the number of their bytes; of a long prompt the oldest messages are left out.",
    ),
    response: z
      .object({
        id: z
          .string()
          .optional()
          .describe("The provider's id of its answer. Absent if it named none."),
        model: z
          .string()
          .optional()
          .describe('The model that says it answered. Absent if it does not say.'),
        parts: Json.describe('The answer, put together: texts, reasoning, tool calls.'),
        cut: count
          .optional()
          .describe('How many characters of the answer are not shown. Absent: none.'),
      })
      .describe('What came back, as far as it came.'),
    warnings: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'What the call left out or did differently: settings and tools that the provider does not take, and what was dropped from a history that the provider refused. Absent if nothing.',
        examples: [['topK (unsupported)']],
      }),
    usage: z
      .object({
        input_tokens: count
          .optional()
          .describe("Of the prompt, without what touched the provider's cache."),
        output_tokens: count
          .optional()
          .describe('All that the model wrote, its reasoning included.'),
        reasoning_tokens: count.optional().describe('How much of that was reasoning.'),
        cache_read_tokens: count
          .optional()
          .describe("Of the prompt, what came from the provider's cache."),
        cache_creation_tokens: count
          .optional()
          .describe("Of the prompt, what went into the provider's cache."),
      })
      .optional()
      .describe(
        'Tokens, by class; one that the provider did not report is absent. Absent if it reported none.',
      ),
    finish_reason: z
      .object({
        unified: z.string().meta({
          description: 'One word for the same thing with all providers.',
          examples: ['stop'],
        }),
        raw: z
          .string()
          .optional()
          .meta({
            description: "The provider's own word. Absent if it gave none.",
            examples: ['end_turn'],
          }),
      })
      .optional()
      .describe('Why the answer ended. Absent if it was cut off.'),
    error: z
      .object({
        kind: ErrorKind.describe('What it was taken for.'),
        message: z.string().describe('What people were told.'),
        retryable: z.boolean().describe('The call was one to make again.'),
        status_code: z
          .int()
          .optional()
          .describe("The HTTP status of the provider's answer. Absent if there was none."),
        said: z
          .string()
          .optional()
          .describe(
            "The provider's own words, at most 4,000 characters. Absent if it said nothing.",
          ),
      })
      .optional()
      .describe('Absent unless `outcome` is `failed`.'),
    first_token_ms: ms
      .optional()
      .describe('Milliseconds until the first piece of the answer came. Absent if none did.'),
    duration_ms: ms.describe('Milliseconds from the beginning of the call to its end.'),
  })
  .meta({
    id: 'DebugEntry',
    description:
      'One model call as it was made: without secrets, cut to size, and with media as the number of their bytes.',
  });
export type DebugEntry = z.infer<typeof DebugEntry>;

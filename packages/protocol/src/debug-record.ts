import { z } from 'zod';
import { ErrorKind } from './chat-error.ts';
import { Timestamp, Uuid } from './ids.ts';
import { Json } from './json.ts';

export const DebugRecordSetting = z
  .strictObject({
    enabled: z
      .boolean()
      .describe(
        'Records every model call, including prompts and responses. Takes effect on all servers within seconds.',
      ),
    retention_hours: z
      .int()
      .min(1)
      .max(24 * 30)
      .default(24)
      .describe('Retention time of entries, in hours.'),
  })
  .meta({
    id: 'DebugRecordSetting',
    description: 'Recording of model calls for admins.',
  });

const count = z.int().nonnegative();
const ms = z.int().nonnegative();

export const DebugEntry = z
  .object({
    id: Uuid.describe('ID of the entry. A UUIDv7, so IDs sort by start time.'),
    chat_id: Uuid.describe(
      'Chat that the call was made for. Deleting the chat deletes its entries.',
    ),
    created_at: Timestamp.describe('Start time of the call.'),
    purpose: z
      .enum(['turn', 'summary', 'title'])
      .describe(
        '`turn`: a step of a turn. `summary`: summarizing a long history. `title`: generating a title.',
      ),
    model_config_id: Uuid.describe(
      'Model config of the call. It may have been changed or deleted since.',
    ),
    provider: z.string().meta({
      description: 'Identifier of the provider package.',
      examples: ['anthropic.messages'],
    }),
    model: z
      .string()
      .meta({ description: 'Model name at the provider.', examples: ['claude-sonnet-5-5'] }),
    attempt: z.int().positive().describe('Number of the attempt within its step, starting at 1.'),
    outcome: z
      .enum(['completed', 'failed', 'stopped'])
      .describe(
        '`completed`: the response is complete. `failed`: see `error`. `stopped`: ended by chatd, for example by an interrupt.',
      ),
    stopped: z
      .string()
      .optional()
      .meta({
        description: 'Why chatd stopped the call. Present only if `outcome` is `stopped`.',
        examples: ['Interrupted'],
      }),
    request: Json.describe(
      'Input of the provider package: `prompt`, `tools`, `settings`. Secrets are replaced by `[hidden]` and media by their size; a long prompt lacks its oldest messages.',
    ),
    response: z
      .object({
        id: z
          .string()
          .optional()
          .describe('ID of the response at the provider. Absent if the provider sent none.'),
        model: z
          .string()
          .optional()
          .describe('Model named in the response. Absent if the provider sent none.'),
        parts: Json.describe('The assembled response: text, reasoning and tool calls.'),
        cut: count
          .optional()
          .describe('Number of characters omitted from the response. Absent: none.'),
      })
      .describe('The response, as far as it was received.'),
    warnings: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'Settings and tools that the provider does not support, and history content dropped because the provider rejected it. Absent: none.',
        examples: [['topK (unsupported)']],
      }),
    usage: z
      .object({
        input_tokens: count
          .optional()
          .describe(
            "Input tokens that were neither read from nor written to the provider's cache.",
          ),
        output_tokens: count.optional().describe('Output tokens, including reasoning.'),
        reasoning_tokens: count.optional().describe('Output tokens used for reasoning.'),
        cache_read_tokens: count
          .optional()
          .describe("Input tokens read from the provider's cache."),
        cache_creation_tokens: count
          .optional()
          .describe("Input tokens written to the provider's cache."),
      })
      .optional()
      .describe('Token counts. Counts that the provider did not report are absent.'),
    finish_reason: z
      .object({
        unified: z.string().meta({
          description: 'Finish reason, with the same values for all providers.',
          examples: ['stop'],
        }),
        raw: z
          .string()
          .optional()
          .meta({
            description: 'Finish reason as sent by the provider. Absent if it sent none.',
            examples: ['end_turn'],
          }),
      })
      .optional()
      .describe('Why the response ended. Absent if it was cut off.'),
    error: z
      .object({
        kind: ErrorKind.describe('Kind of the error.'),
        message: z.string().describe('Message shown to users.'),
        retryable: z.boolean().describe('True if the call can be retried.'),
        status_code: z
          .int()
          .optional()
          .describe("HTTP status of the provider's response. Absent if there was none."),
        said: z
          .string()
          .optional()
          .describe(
            'Original error text of the provider. At most 4,000 characters. Absent if there was none.',
          ),
      })
      .optional()
      .describe('Error of the call. Present only if `outcome` is `failed`.'),
    first_token_ms: ms
      .optional()
      .describe('Time to the first token, in milliseconds. Absent if there was none.'),
    duration_ms: ms.describe('Duration of the call, in milliseconds.'),
  })
  .meta({
    id: 'DebugEntry',
    description:
      'One model call, without secrets. Long content is truncated; media are replaced by their size.',
  });
export type DebugEntry = z.infer<typeof DebugEntry>;

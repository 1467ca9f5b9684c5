import { z } from 'zod';
import { enumeration } from './enumeration.ts';

const sum = z.int().nonnegative();

const Sums = z
  .object({
    calls: sum.describe('Number of model calls.'),
    input_tokens: sum.describe(
      "Input tokens that were neither read from nor written to a provider's cache.",
    ),
    output_tokens: sum.describe('Output tokens, including reasoning.'),
    reasoning_tokens: sum.describe('Output tokens used for reasoning.'),
    cache_read_tokens: sum.describe("Input tokens read from a provider's cache."),
    cache_creation_tokens: sum.describe("Input tokens written to a provider's cache."),
    cost_micros: sum.describe('Cost in millionths of a US dollar, without calls of unknown cost.'),
    unpriced_calls: sum.describe(
      'Number of calls of unknown cost. If greater than 0, the real cost is higher.',
    ),
    runtime_ms: sum.describe(
      'Runtime of model calls, including retries, and tools, in milliseconds. Time spent waiting for a user, a client or capacity does not count.',
    ),
    tool_runtime_ms: sum.describe(
      'Part of `runtime_ms` spent in tools. Parallel tools of one step count once.',
    ),
  })
  .meta({
    id: 'UsageSums',
    description:
      'Totals of model calls and tools. Values that the provider did not report count as 0.',
  });

export const UsageGroup = enumeration('UsageGroup', 'Grouping of model calls.', {
  user: 'the user',
  group:
    'the group, by current membership; a user in several groups counts for each; `none` for users without a group',
  model: 'the model config',
  chat: 'the root chat, including its subagents',
  day: 'the day, in UTC',
  kind: 'the purpose of model calls: `turn`, `summary` or `title`; `tools` for the runtime of tools',
});
export type UsageGroup = z.infer<typeof UsageGroup>;

export const UsageReport = z
  .object({
    total: Sums.describe('Totals of all calls.'),
    groups: z
      .array(
        Sums.extend({
          key: z.string().meta({
            description:
              'ID of the user, group, model config or chat, the day, or the purpose. The object may have been deleted.',
            examples: ['2026-11-15'],
          }),
        }),
      )
      .describe(
        'Groups, highest cost first; days in chronological order. Groups without model calls and tools are omitted.',
      ),
  })
  .meta({
    id: 'UsageReport',
    description:
      'Tokens, cost and runtime of model calls, and runtime of tools. Deleting chats, users or messages does not change it.',
  });
export type UsageReport = z.infer<typeof UsageReport>;

export const ChatCost = z
  .object({
    total: Sums.describe('Totals of all models.'),
    by_model: z
      .array(
        Sums.extend({
          model_config_id: z
            .string()
            .describe(
              'Model config of the calls. Summaries and titles can use another model than the chat.',
            ),
        }),
      )
      .describe('Totals by model, highest cost first.'),
  })
  .meta({
    id: 'ChatCost',
    description:
      'Cost of a chat and its subagents so far, including messages that were replaced by edits.',
  });
export type ChatCost = z.infer<typeof ChatCost>;

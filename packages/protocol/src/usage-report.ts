import { z } from 'zod';
import { enumeration } from './enumeration.ts';

const sum = z.int().nonnegative();

const Sums = z
  .object({
    calls: sum.describe('Model calls that are in the books.'),
    input_tokens: sum.describe("Of prompts, without what touched a provider's cache."),
    output_tokens: sum.describe('All that models wrote, their reasoning included.'),
    reasoning_tokens: sum.describe('How much of the output was reasoning.'),
    cache_read_tokens: sum.describe("Of prompts, what came from a provider's cache."),
    cache_creation_tokens: sum.describe("Of prompts, what went into a provider's cache."),
    cost_micros: sum.describe(
      'What they cost, in millionths of the currency of the prices. Calls whose cost is not known are left out.',
    ),
    unpriced_calls: sum.describe(
      'Calls whose cost is not known: if there are some, the true cost is higher.',
    ),
    runtime_ms: sum.describe(
      'Runtime of model calls, with retries, and of tools, in milliseconds. Time in which a chat waits for a person, a client or capacity is not counted.',
    ),
    tool_runtime_ms: sum.describe(
      'The part of `runtime_ms` in which tools ran. Tools of one step that run in parallel count once.',
    ),
  })
  .meta({
    id: 'UsageSums',
    description: 'Sums over model calls and tools. What the provider did not report counts as 0.',
  });

export const UsageGroup = enumeration('UsageGroup', 'By what model calls are grouped.', {
  user: 'who they were made for',
  model: 'the model config that was called',
  chat: 'the chat of a user, its subagents included',
  day: 'the day, in UTC',
  kind: 'the purpose of model calls: `turn`, `summary` or `title`; `tools` for the runtime of tools',
});
export type UsageGroup = z.infer<typeof UsageGroup>;

export const UsageReport = z
  .object({
    total: Sums.describe('Over all groups.'),
    groups: z
      .array(
        Sums.extend({
          key: z.string().meta({
            description:
              'The id of the user, model config or chat, the day, or what the calls were for. What has this id may be gone.',
            examples: ['2026-11-15'],
          }),
        }),
      )
      .describe(
        'Largest cost first; days in order. Groups without model calls and tools are left out.',
      ),
  })
  .meta({
    id: 'UsageReport',
    description:
      'Tokens, cost and runtime of model calls, and runtime of tools. Deleting chats, users or messages changes none of it.',
  });
export type UsageReport = z.infer<typeof UsageReport>;

/** What a chat and its subagents have cost so far. */
export const ChatCost = z
  .object({
    total: Sums.describe('Over all models.'),
    by_model: z
      .array(
        Sums.extend({
          model_config_id: z
            .string()
            .describe(
              'The model config that was called; summaries and titles may have one of their own.',
            ),
        }),
      )
      .describe('Largest cost first.'),
  })
  .meta({
    id: 'ChatCost',
    description:
      'What a chat and its subagents have cost so far. What was edited away still counts.',
  });
export type ChatCost = z.infer<typeof ChatCost>;

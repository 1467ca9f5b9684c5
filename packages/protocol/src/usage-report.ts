import { z } from 'zod';

const sum = z.int().nonnegative();

const Sums = z.object({
  calls: sum,
  input_tokens: sum,
  output_tokens: sum,
  reasoning_tokens: sum,
  cache_read_tokens: sum,
  cache_creation_tokens: sum,
  cost_micros: sum,
  /** Calls whose price is not known; `cost_micros` leaves them out. */
  unpriced_calls: sum,
  runtime_ms: sum,
});

export const UsageGroup = z.enum(['user', 'model', 'chat', 'day', 'kind']);
export type UsageGroup = z.infer<typeof UsageGroup>;

export const UsageReport = z
  .object({
    total: Sums,
    /**
     * `key` is the id of the user, model config or root chat, the day (UTC), or what the calls were for (`turn`,
     * `summary`, `title`). Largest cost first; days in order.
     */
    groups: z.array(Sums.extend({ key: z.string() })),
  })
  .meta({ id: 'UsageReport' });
export type UsageReport = z.infer<typeof UsageReport>;

/** What a chat and its subagents have cost so far. */
export const ChatCost = z
  .object({ total: Sums, by_model: z.array(Sums.extend({ model_config_id: z.string() })) })
  .meta({ id: 'ChatCost' });
export type ChatCost = z.infer<typeof ChatCost>;

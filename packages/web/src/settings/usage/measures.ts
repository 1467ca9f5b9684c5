import type { UsageReport } from '@chatd/protocol';
import { count } from '../../format/number.ts';
import { money, tokenCount } from '../../format/money.ts';
import { duration } from '../../format/time.ts';

export type Sums = UsageReport['total'];

export const MEASURES = {
  cost: { label: 'Cost', of: ({ cost_micros }: Sums) => cost_micros, text: money, unit: 100 },
  tokens: {
    label: 'Tokens',
    of: (sums: Sums) =>
      sums.input_tokens + sums.cache_read_tokens + sums.cache_creation_tokens + sums.output_tokens,
    text: tokenCount,
    unit: 1,
  },
  calls: {
    label: 'Calls',
    of: ({ calls }: Sums) => calls,
    text: count,
    unit: 1,
  },
  time: { label: 'Runtime', of: ({ runtime_ms }: Sums) => runtime_ms, text: duration, unit: 100 },
  toolTime: {
    label: 'Tool runtime',
    of: ({ tool_runtime_ms }: Sums) => tool_runtime_ms,
    text: duration,
    unit: 100,
  },
} as const;
export type MeasureId = keyof typeof MEASURES;

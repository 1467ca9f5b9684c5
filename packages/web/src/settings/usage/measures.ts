import type { UsageReport } from '@chatd/protocol';
import { money, tokenCount } from '../../format/money.ts';
import { duration } from '../../format/time.ts';

export type Sums = UsageReport['total'];

export const MEASURES = {
  cost: { label: 'Cost', of: ({ cost_micros }: Sums) => cost_micros, text: money },
  tokens: {
    label: 'Tokens',
    of: (sums: Sums) =>
      sums.input_tokens + sums.cache_read_tokens + sums.cache_creation_tokens + sums.output_tokens,
    text: tokenCount,
  },
  calls: {
    label: 'Calls',
    of: ({ calls }: Sums) => calls,
    text: (value: number) => value.toLocaleString(),
  },
  time: { label: 'Runtime', of: ({ runtime_ms }: Sums) => runtime_ms, text: duration },
  toolTime: {
    label: 'Tool runtime',
    of: ({ tool_runtime_ms }: Sums) => tool_runtime_ms,
    text: duration,
  },
} as const;
export type MeasureId = keyof typeof MEASURES;

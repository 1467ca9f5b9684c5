import { z } from 'zod';

export const ReasoningEffort = z
  .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
  .meta({
    id: 'ReasoningEffort',
    description:
      'Reasoning effort of a model, in ascending order. Values above the maximum of the model config are lowered to it. Support varies by model.',
  });
export type ReasoningEffort = z.infer<typeof ReasoningEffort>;

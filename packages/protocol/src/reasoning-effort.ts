import { z } from 'zod';

/** From least to most. A model's own maximum clamps what is asked for. */
export const ReasoningEffort = z
  .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
  .meta({
    id: 'ReasoningEffort',
    description:
      "How much a model is to think before it answers, from least to most. What is more than the maximum of a model config is lowered to it. It is handed to the provider's package, which knows what its models take.",
  });
export type ReasoningEffort = z.infer<typeof ReasoningEffort>;

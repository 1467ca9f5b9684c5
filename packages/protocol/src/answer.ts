import { z } from 'zod';

const text = z.string().min(1).max(65_536);

/** What a person says to a question of an agent: text, options that are selected, or yes or no to a plan. */
export const Answer = z
  .union([
    text.meta({ title: 'text', description: 'To a question: an answer in words.' }),
    z
      .strictObject({
        selected: z
          .array(z.string().min(1).max(1000))
          .min(1)
          .max(50)
          .optional()
          .meta({
            description:
              'Labels of the options that are chosen. One, or several if the question says `multiple`. The agent is given them as they are.',
            examples: [['PostgreSQL']],
          }),
        text: text
          .optional()
          .describe(
            'Words of your own, beside the options or instead of them. One of both is needed.',
          ),
      })
      .refine(({ selected, text }) => selected !== undefined || text !== undefined, {
        message: 'must have text or options that are selected',
      })
      .meta({ title: 'selection', description: 'To a question: options that are chosen.' }),
    z
      .strictObject({
        accepted: z
          .boolean()
          .describe(
            'True ends plan mode, and the agent carries the plan out in the same turn. False has it revise the plan.',
          ),
        text: text
          .optional()
          .describe(
            'What you want to tell the agent with it; without it, it learns only whether you accept.',
          ),
      })
      .meta({ title: 'plan', description: 'To a plan that the agent proposes.' }),
  ])
  .meta({
    id: 'Answer',
    description:
      'What a person says to a call of the kind `question`: text, options that are selected, or yes or no to a plan.',
  });
export type Answer = z.infer<typeof Answer>;

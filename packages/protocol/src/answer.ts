import { z } from 'zod';

const text = z.string().min(1).max(65_536);

export const Answer = z
  .union([
    text.meta({ title: 'text', description: 'Answer to a question, as free text.' }),
    z
      .strictObject({
        selected: z
          .array(z.string().min(1).max(1000))
          .min(1)
          .max(50)
          .optional()
          .meta({
            description:
              'Labels of the selected options: one, or several if the question allows `multiple`. Passed to the agent unchanged.',
            examples: [['PostgreSQL']],
          }),
        text: text
          .optional()
          .describe(
            'Free text, in addition to or instead of the options. Either `selected` or `text` is required.',
          ),
      })
      .refine(({ selected, text }) => selected !== undefined || text !== undefined, {
        message: 'must have `text` or `selected`',
      })
      .meta({ title: 'selection', description: 'Answer to a question, as selected options.' }),
    z
      .strictObject({
        accepted: z
          .boolean()
          .describe(
            'True ends plan mode; the agent carries out the plan in the same turn. False asks the agent to revise the plan.',
          ),
        text: text
          .optional()
          .describe(
            'Comment for the agent. Without it, the agent learns only whether the plan is accepted.',
          ),
      })
      .meta({ title: 'plan', description: 'Decision on a plan that the agent proposes.' }),
  ])
  .meta({
    id: 'Answer',
    description:
      "A user's answer to a call of kind `question`: text, selected options, or a decision on a plan.",
  });
export type Answer = z.infer<typeof Answer>;

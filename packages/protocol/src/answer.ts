import { z } from 'zod';

const text = z.string().min(1).max(65_536);

/** What a person says to a question of an agent: text, options that are selected, or yes or no to a plan. */
export const Answer = z
  .union([
    text,
    z
      .strictObject({
        selected: z.array(z.string().min(1).max(1000)).min(1).max(50).optional(),
        text: text.optional(),
      })
      .refine(({ selected, text }) => selected !== undefined || text !== undefined, {
        message: 'must have text or options that are selected',
      }),
    z.strictObject({ accepted: z.boolean(), text: text.optional() }),
  ])
  .meta({ id: 'Answer' });
export type Answer = z.infer<typeof Answer>;

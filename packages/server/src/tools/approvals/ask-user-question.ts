import type { AwaitedTool } from '@chatd/loop';
import { z } from 'zod';
import { ASK_TOOL } from '../../chat/answers.ts';

export const askUserQuestion: AwaitedTool = {
  name: ASK_TOOL,
  description:
    'Asks the user a question and waits for the answer, however long that takes. Use it when you cannot go on well without knowing what they want; do not ask what you can find out yourself. The answer has the options that they selected, text of their own, or both.',
  input: z.strictObject({
    question: z.string().min(1).max(4000),
    options: z
      .array(
        z.strictObject({
          label: z.string().min(1).max(200),
          description: z.string().max(1000).optional(),
        }),
      )
      .min(2)
      .max(10)
      .optional()
      .describe('Answers to choose from; they may always answer in their own words instead'),
    multiple: z.boolean().optional().describe('Several of the options may be selected'),
  }),
  answeredBy: 'person',
};

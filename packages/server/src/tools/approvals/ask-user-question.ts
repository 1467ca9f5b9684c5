import type { AwaitedTool } from '@chatd/loop';
import { z } from 'zod';
import { ASK_TOOL } from '../../chat/answers.ts';

export const askUserQuestion: AwaitedTool = {
  name: ASK_TOOL,
  description:
    "Ask the user a question and wait for the answer. Use it only if you cannot continue without the user's decision; do not ask what you can find out yourself. The answer contains the selected options, free text, or both.",
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
      .describe('Suggested answers. The user can always answer in their own words instead'),
    multiple: z.boolean().optional().describe('Whether the user may select several options'),
  }),
  answeredBy: 'person',
};

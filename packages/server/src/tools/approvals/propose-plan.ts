import type { AwaitedTool } from '@chatd/loop';
import { z } from 'zod';
import { PLAN_TOOL } from '../../chat/answers.ts';

export const proposePlan: AwaitedTool = {
  name: PLAN_TOOL,
  description:
    'Proposes a plan to the user and waits until they accept it or say what should be different. Once they accept it, plan mode is over and all your tools work.',
  input: z.strictObject({
    plan: z
      .string()
      .min(1)
      .max(50_000)
      .describe('What will be done, in which order, and how it will be checked; Markdown'),
  }),
  answeredBy: 'person',
};

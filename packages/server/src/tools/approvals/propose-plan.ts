import type { AwaitedTool } from '@chatd/loop';
import { z } from 'zod';
import { PLAN_TOOL } from '../../chat/answers.ts';

export const proposePlan: AwaitedTool = {
  name: PLAN_TOOL,
  description:
    'Propose a plan to the user and wait until they accept it or request changes. After they accept it, plan mode ends and all your tools work.',
  input: z.strictObject({
    plan: z
      .string()
      .min(1)
      .max(50_000)
      .describe('The steps, their order, and how you will verify the result, as Markdown'),
  }),
  answeredBy: 'person',
};

import { z } from 'zod';

export const ApprovalAction = z.enum(['allow', 'ask', 'deny']);
export type ApprovalAction = z.infer<typeof ApprovalAction>;

export const PATTERN_LENGTH = 2048;

/** What to do with calls of a tool: `name`, or `name(argument)`, both with `*` for anything. */
export const ApprovalRule = z
  .strictObject({
    pattern: z.string().min(1).max(PATTERN_LENGTH),
    action: ApprovalAction,
  })
  .meta({ id: 'ApprovalRule' });
export type ApprovalRule = z.infer<typeof ApprovalRule>;

/** The last that matches wins. */
export const ApprovalRules = z.array(ApprovalRule).max(500);

export const ApprovalDecision = z.strictObject({
  tool_call_id: z.string().min(1).max(256),
  decision: z.enum(['allow', 'deny']),
  remember: z
    .boolean()
    .optional()
    .describe('Decide the same way on such calls in future, without asking'),
});
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

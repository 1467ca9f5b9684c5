import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { AwaitedCallId } from './ids.ts';

export const ApprovalAction = enumeration(
  'ApprovalAction',
  'What happens to a call of a server-side tool.',
  {
    allow: 'the call runs immediately',
    ask: 'the chat waits in `requires_action` until a user allows or denies the call',
    deny: 'the call does not run, and the model is told so',
  },
);
export type ApprovalAction = z.infer<typeof ApprovalAction>;

export const PATTERN_LENGTH = 2048;

export const ApprovalRule = z
  .strictObject({
    pattern: z
      .string()
      .min(1)
      .max(PATTERN_LENGTH)
      .meta({
        description:
          'Calls that the rule applies to: `name` or `name(argument)`. `*` matches any text in both; a backslash escapes the next character. The argument is the `command` of the call, else its `path`, else its `url`, else all arguments as JSON. With the prefix `chat:ID `, the rule applies only to that chat and its subagents.',
        examples: ['execute(git *)'],
      }),
    action: ApprovalAction.describe(
      'Action for matching calls. An `allow` rule with a `*` in its command never matches commands with shell operators.',
    ),
  })
  .meta({
    id: 'ApprovalRule',
    description:
      'Approval rule for tool calls. If several rules in a list match a call, the last one applies.',
  });
export type ApprovalRule = z.infer<typeof ApprovalRule>;

export const APPROVAL_RULES_LIMIT = 500;

/** The last matching rule applies. */
export const ApprovalRules = z.array(ApprovalRule).max(APPROVAL_RULES_LIMIT);

export const ApprovalDecision = z
  .strictObject({
    tool_call_id: AwaitedCallId,
    decision: z
      .enum(['allow', 'deny'])
      .describe('`allow`: the call runs. `deny`: the call does not run, and the model is told so.'),
    remember: z
      .enum(['chat', 'always'])
      .optional()
      .describe(
        'Adds a rule to your own approval rules that makes the same decision from now on, in this chat and its subagents (`chat`) or in all your chats (`always`). Its pattern is the `pattern` of the call in `action_required`. Default: the decision applies only to this call.',
      ),
    reason: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .describe('With `deny`: the reason, for the model. Default: none.'),
  })
  .meta({
    id: 'ApprovalDecision',
    description: "A user's decision on a call of kind `approval`.",
  });
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

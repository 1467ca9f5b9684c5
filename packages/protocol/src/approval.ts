import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { AwaitedCallId } from './ids.ts';

export const ApprovalAction = enumeration(
  'ApprovalAction',
  'What becomes of a call of a tool that runs on the server.',
  {
    allow: 'it runs at once',
    ask: 'the chat waits in `requires_action` until a person allows or denies it',
    deny: 'it does not run, and the model is told so',
  },
);
export type ApprovalAction = z.infer<typeof ApprovalAction>;

export const PATTERN_LENGTH = 2048;

/** What to do with calls of a tool: `name`, or `name(argument)`, both with `*` for anything. */
export const ApprovalRule = z
  .strictObject({
    pattern: z
      .string()
      .min(1)
      .max(PATTERN_LENGTH)
      .meta({
        description:
          'The calls that it is about: `name` or `name(argument)`, with `*` for anything in both; a backslash takes the next character as it is. The argument is the `command` of the call, else its `path`, else its `url`, else all its arguments as JSON.',
        examples: ['execute(git *)'],
      }),
    action: ApprovalAction.describe(
      'What becomes of them. A rule that allows commands by a `*` does not match one with shell operators in it.',
    ),
  })
  .meta({
    id: 'ApprovalRule',
    description:
      'What to do with calls of certain tools. Of a list, the last rule that matches a call counts.',
  });
export type ApprovalRule = z.infer<typeof ApprovalRule>;

/** The last that matches wins. */
export const ApprovalRules = z.array(ApprovalRule).max(500);

export const ApprovalDecision = z
  .strictObject({
    tool_call_id: AwaitedCallId,
    decision: z
      .enum(['allow', 'deny'])
      .describe('`allow`: the call runs. `deny`: it does not, and the model is told.'),
    remember: z
      .boolean()
      .optional()
      .describe(
        'True adds a rule to your own approvals that decides the same way from now on: on that very command where the call has a `command`, else on the tool. False unless given.',
      ),
  })
  .meta({
    id: 'ApprovalDecision',
    description: 'What a person says to a call of the kind `approval`.',
  });
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

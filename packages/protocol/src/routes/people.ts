import { z } from 'zod';
import { Answer } from '../answer.ts';
import { ApprovalAction, ApprovalDecision, ApprovalRules } from '../approval.ts';
import { ANSWERED_CALLS_LIMIT, AwaitedCallId } from '../ids.ts';
import { Json } from '../json.ts';
import { route } from '../route.ts';
import { ChatParams } from './chats.ts';

const tag = 'People';
const OwnApprovals = z.object({
  approvals: ApprovalRules.describe(
    'Your rules, in order: the last one that matches a call counts.',
  ),
});

export const peopleRoutes = {
  decideApprovals: route({
    method: 'post',
    path: '/chats/{chat_id}/approvals',
    tag,
    summary:
      'Allow or deny calls that the chat asks you about; the first decision on a call counts',
    description:
      'Calls may be decided one by one. Those that were decided before are passed over; it is refused when none of them waits any more. Once nobody is waited for, allowed calls run, each once, and the model is told of the denied ones.',
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({
      decisions: z
        .array(ApprovalDecision)
        .min(1)
        .max(ANSWERED_CALLS_LIMIT)
        .describe('On calls of the kind `approval`. Of two on the same call, the first counts.'),
    }),
    answers: { 204: null },
    refusals: ['not_waiting_for_you', 'chat_archived'],
  }),
  answerQuestion: route({
    method: 'post',
    path: '/chats/{chat_id}/answers',
    tag,
    summary: 'Answer a question of the agent, or its plan; the first answer counts',
    description:
      'The answer becomes the result of the call, and the turn goes on when nobody else is waited for. It can be answered at any time: there is no deadline.',
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({
      tool_call_id: AwaitedCallId,
      answer: Answer.meta({
        description: 'Text or options to a question; `accepted` to a plan.',
        examples: ['Neither. Leave it.'],
      }),
    }),
    answers: { 204: null },
    refusals: ['not_waiting_for_you', 'invalid_answer', 'chat_archived'],
  }),
  getApprovals: route({
    method: 'get',
    path: '/users/me/approvals',
    tag,
    summary: 'Read your own rules for what agents may do',
    description:
      'They hold for the agents of your own chats, and go before those of the deployment, except where those deny.',
    scope: 'read',
    answers: { 200: OwnApprovals },
    refusals: [],
  }),
  updateApprovals: route({
    method: 'patch',
    path: '/users/me/approvals',
    tag,
    summary: 'Replace your own rules for what agents may do',
    description: 'The whole list at once. It counts from the next turn of a chat on.',
    scope: 'write',
    body: z.strictObject({
      approvals: ApprovalRules.describe('All your rules, in order. `[]`: none.'),
    }),
    answers: { 200: OwnApprovals },
    refusals: [],
  }),
  testApprovals: route({
    method: 'post',
    path: '/users/me/approvals/test',
    tag,
    summary: 'Say what would become of a call of a tool, by the rules as they are or might be',
    description: 'Nothing runs and nothing is stored.',
    scope: 'read',
    body: z
      .strictObject({
        tool_name: z
          .string()
          .min(1)
          .max(256)
          .meta({ description: 'The tool that would be called.', examples: ['execute'] }),
        args: Json.optional().meta({
          description: 'Its arguments. Without them, it is called without.',
          examples: [{ command: 'git push' }],
        }),
        approvals: ApprovalRules.optional().describe('Rules to try instead of your own.'),
        deployment_approvals: ApprovalRules.optional().describe(
          'As an admin: rules to try instead of those of the deployment.',
        ),
      })
      .meta({ examples: [{ tool_name: 'execute', args: { command: 'git push' } }] }),
    answers: {
      200: z.object({
        action: ApprovalAction.describe('What would become of the call.'),
        decided_by: z
          .enum(['deployment', 'own'])
          .nullable()
          .describe('Whose rule it was. Null: none matches, so it is allowed.'),
        pattern: z
          .string()
          .nullable()
          .describe(
            'Of that rule. Null: there is none, or it is one of the deployment and you are no admin.',
          ),
      }),
    },
    refusals: ['admin_required'],
  }),
};

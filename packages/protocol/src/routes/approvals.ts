import { z } from 'zod';
import { Answer } from '../answer.ts';
import { ApprovalAction, ApprovalDecision, ApprovalRules } from '../approval.ts';
import { ANSWERED_CALLS_LIMIT, AwaitedCallId } from '../ids.ts';
import { Json } from '../json.ts';
import { routeWith } from '../route.ts';
import { ChatParams } from './chats.ts';

const route = routeWith('Approvals');
const OwnApprovals = z.object({
  approvals: ApprovalRules.describe('Your rules, in order. The last matching rule applies.'),
});

export const approvalRoutes = {
  decideApprovals: route({
    method: 'post',
    path: '/chats/{chat_id}/approvals',
    summary: 'Allow or deny calls that wait for approval',
    description:
      'Calls can be decided one by one; the first decision on a call is final. Calls that are already decided are ignored; the request fails if none of the calls is pending. When no calls are pending, allowed calls run, each once, and the model is told about denied ones.',
    scope: 'write',
    access: 'editor',
    params: ChatParams,
    body: z.strictObject({
      decisions: z
        .array(ApprovalDecision)
        .min(1)
        .max(ANSWERED_CALLS_LIMIT)
        .describe(
          'Decisions on calls of kind `approval`. If a call appears twice, the first decision applies.',
        ),
    }),
    answers: { 204: null },
    refusals: ['not_waiting_for_you', 'chat_archived'],
  }),
  answerQuestion: route({
    method: 'post',
    path: '/chats/{chat_id}/answers',
    summary: 'Answer a question of the agent, or decide on its plan',
    description:
      'The answer becomes the result of the call; the first answer is final. The turn continues when no other calls are pending. Questions never expire.',
    scope: 'write',
    access: 'editor',
    params: ChatParams,
    body: z.strictObject({
      tool_call_id: AwaitedCallId,
      answer: Answer.meta({
        description: 'Text or selected options for a question; `accepted` for a plan.',
        examples: ['Neither. Leave it.'],
      }),
    }),
    answers: { 204: null },
    refusals: ['not_waiting_for_you', 'invalid_answer', 'chat_archived'],
  }),
  getApprovals: route({
    method: 'get',
    path: '/users/me/approvals',
    summary: 'Get your approval rules',
    description:
      'They apply to the agents of your own chats and take precedence over the rules of the deployment, except its `deny` rules.',
    scope: 'read',
    answers: { 200: OwnApprovals },
  }),
  updateApprovals: route({
    method: 'patch',
    path: '/users/me/approvals',
    summary: 'Replace your approval rules',
    description: 'Replaces the whole list. Applies from the next turn of a chat.',
    scope: 'write',
    body: z.strictObject({
      approvals: ApprovalRules.describe('Your rules, in order. `[]`: none.'),
    }),
    answers: { 200: OwnApprovals },
    audit: { action: 'user.update_approvals' },
  }),
  testApprovals: route({
    method: 'post',
    path: '/users/me/approvals/test',
    summary: 'Test approval rules against a tool call',
    description:
      'Evaluates the current rules or the given ones. Nothing runs and nothing is stored.',
    scope: 'read',
    body: z
      .strictObject({
        tool_name: z
          .string()
          .min(1)
          .max(256)
          .meta({ description: 'Name of the tool.', examples: ['execute'] }),
        args: Json.optional().meta({
          description: 'Arguments of the call. Default: none.',
          examples: [{ command: 'git push' }],
        }),
        approvals: ApprovalRules.optional().describe('Rules to test instead of your own.'),
        deployment_approvals: ApprovalRules.optional().describe(
          'Rules to test instead of those of the deployment, for admins.',
        ),
      })
      .meta({ examples: [{ tool_name: 'execute', args: { command: 'git push' } }] }),
    answers: {
      200: z.object({
        action: ApprovalAction.describe('Action for the call.'),
        decided_by: z
          .enum(['deployment', 'own'])
          .nullable()
          .describe('Owner of the matching rule. Null: no rule matches, so the call is allowed.'),
        pattern: z
          .string()
          .nullable()
          .describe(
            'Pattern of the matching rule. Null: no rule matches, or it is a rule of the deployment and you are not an admin.',
          ),
      }),
    },
    refusals: ['admin_required'],
  }),
};

import { z } from 'zod';
import { Answer } from '../answer.ts';
import { ApprovalAction, ApprovalDecision, ApprovalRules } from '../approval.ts';
import { Json } from '../json.ts';
import { route } from '../route.ts';
import { ChatParams } from './chats.ts';

const tag = 'People';
const OwnApprovals = z.object({ approvals: ApprovalRules });

export const peopleRoutes = {
  decideApprovals: route({
    method: 'post',
    path: '/chats/{chat_id}/approvals',
    tag,
    summary:
      'Allow or deny calls that the chat asks you about; the first decision on a call counts',
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({ decisions: z.array(ApprovalDecision).min(1).max(256) }),
    answers: { 204: null },
    refusals: ['not_waiting_for_you', 'chat_archived'],
  }),
  answerQuestion: route({
    method: 'post',
    path: '/chats/{chat_id}/answers',
    tag,
    summary: 'Answer a question of the agent, or its plan; the first answer counts',
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({ tool_call_id: z.string().min(1).max(256), answer: Answer }),
    answers: { 204: null },
    refusals: ['not_waiting_for_you', 'invalid_answer', 'chat_archived'],
  }),
  getApprovals: route({
    method: 'get',
    path: '/users/me/approvals',
    tag,
    summary: 'Read your own rules for what agents may do',
    scope: 'read',
    answers: { 200: OwnApprovals },
    refusals: [],
  }),
  updateApprovals: route({
    method: 'patch',
    path: '/users/me/approvals',
    tag,
    summary: 'Replace your own rules for what agents may do',
    scope: 'write',
    body: z.strictObject({ approvals: ApprovalRules }),
    answers: { 200: OwnApprovals },
    refusals: [],
  }),
  testApprovals: route({
    method: 'post',
    path: '/users/me/approvals/test',
    tag,
    summary: 'Say what would become of a call of a tool, by the rules as they are or might be',
    scope: 'read',
    body: z.strictObject({
      tool_name: z.string().min(1).max(256),
      args: Json.optional(),
      approvals: ApprovalRules.optional().describe('Instead of your own'),
      deployment_approvals: ApprovalRules.optional().describe(
        'As an admin: instead of those of the deployment',
      ),
    }),
    answers: {
      200: z.object({
        action: ApprovalAction,
        /** Whose rule it was; null: nobody's, since none matches. */
        decided_by: z.enum(['deployment', 'own']).nullable(),
        /** Of the rule; members are not told those of the deployment. */
        pattern: z.string().nullable(),
      }),
    },
    refusals: ['admin_required'],
  }),
};

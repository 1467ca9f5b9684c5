import type { Answer, ApprovalDecision, AwaitedCall, Json } from '@chatd/protocol';
import { z } from 'zod';
import { PLAN_TOOL } from '../chat/answers.ts';
import { refusedField } from '../chat/refused.ts';
import { answerIn } from '../protocols/call-answers.ts';

const TEXT = { type: 'string' };

const APPROVAL_SCHEMA = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    reason: TEXT,
    remember: { enum: ['chat', 'always'] },
  },
  required: ['approved'],
};
const PLAN_SCHEMA = {
  type: 'object',
  properties: { accepted: { type: 'boolean' }, text: TEXT },
  required: ['accepted'],
};
const QUESTION_SCHEMA = {
  type: 'object',
  properties: { selected: { type: 'array', items: TEXT }, text: TEXT },
};

/** What the chat waits for, except for results of the client's tools. */
export function interruptOf({ tool_call_id, tool_name, args, kind }: AwaitedCall): object {
  const call = {
    id: tool_call_id,
    toolCallId: tool_call_id,
    metadata: { chatd: { kind, tool_name, args } },
  };
  if (kind === 'approval') {
    const message = `Allow the call of ${tool_name}?`;
    return { ...call, reason: 'tool_call', message, responseSchema: APPROVAL_SCHEMA };
  }
  if (tool_name === PLAN_TOOL) {
    const message = 'Accept the plan?';
    return { ...call, reason: 'confirmation', message, responseSchema: PLAN_SCHEMA };
  }
  const { question } = args as { readonly question?: Json };
  return {
    ...call,
    reason: 'input_required',
    ...(typeof question === 'string' && { message: question }),
    responseSchema: QUESTION_SCHEMA,
  };
}

export interface ResumeEntry {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  readonly payload?: Json | undefined;
}

const ApprovalPayload = z.union([
  z.boolean().transform((approved) => ({ approved, reason: undefined, remember: undefined })),
  z.strictObject({
    approved: z.boolean(),
    reason: z.string().min(1).max(2000).optional(),
    remember: z.enum(['chat', 'always']).optional(),
  }),
]);

export function decisionOf({ interruptId, status, payload }: ResumeEntry): ApprovalDecision {
  const tool_call_id = interruptId;
  if (status === 'cancelled') return { tool_call_id, decision: 'deny' };
  const given = ApprovalPayload.safeParse(payload);
  if (!given.success) {
    throw refusedField(
      'resume.payload',
      'must be {"approved": true} or {"approved": false}, optionally with reason and remember',
    );
  }
  const { approved, reason, remember } = given.data;
  return { tool_call_id, decision: approved ? 'allow' : 'deny', reason, remember };
}

/** An answer to a question or a plan. */
export function answerOf(
  toolName: string,
  { status, payload }: Pick<ResumeEntry, 'status' | 'payload'>,
): Answer {
  if (status === 'resolved') return answerIn(payload);
  return toolName === PLAN_TOOL ? { accepted: false } : 'The user did not answer.';
}

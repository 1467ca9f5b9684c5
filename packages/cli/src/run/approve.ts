import type { Client } from '@chatd/client';
import type { AwaitedCall } from '@chatd/protocol';

export const APPROVE_POLICIES = ['ask', 'all', 'deny'] as const;
export type ApprovePolicy = (typeof APPROVE_POLICIES)[number];

/** The replies that a policy permits, and the calls that are left for a person. */
export interface PolicyReplies {
  readonly decisions: { tool_call_id: string; decision: 'allow' | 'deny' }[];
  readonly acceptedPlans: string[];
  readonly left: AwaitedCall[];
}

const PLAN_TOOL = 'propose_plan';

export function repliesOf(calls: readonly AwaitedCall[], policy: ApprovePolicy): PolicyReplies {
  const replies: PolicyReplies = { decisions: [], acceptedPlans: [], left: [] };
  for (const call of calls) {
    const { tool_call_id, kind, tool_name } = call;
    if (policy !== 'ask' && kind === 'approval') {
      replies.decisions.push({ tool_call_id, decision: policy === 'all' ? 'allow' : 'deny' });
    } else if (policy === 'all' && kind === 'question' && tool_name === PLAN_TOOL) {
      replies.acceptedPlans.push(tool_call_id);
    } else {
      replies.left.push(call);
    }
  }
  return replies;
}

export async function sendReplies(
  client: Client,
  chat_id: string,
  { decisions, acceptedPlans }: PolicyReplies,
): Promise<void> {
  const params = { chat_id };
  if (decisions.length > 0) await client.call('decideApprovals', { params, body: { decisions } });
  for (const tool_call_id of acceptedPlans) {
    const body = { tool_call_id, answer: { accepted: true } };
    await client.call('answerQuestion', { params, body });
  }
}

import type { Client } from '@chatd/client';
import type { AwaitedCall } from '@chatd/protocol';

export const APPROVE_POLICIES = ['ask', 'all', 'deny'] as const;
export type ApprovePolicy = (typeof APPROVE_POLICIES)[number];

/** What a script can answer by itself. What is left needs somebody else. */
export interface Answers {
  readonly decisions: { tool_call_id: string; decision: 'allow' | 'deny' }[];
  readonly plans: { tool_call_id: string; accepted: boolean }[];
  readonly left: AwaitedCall[];
}

const PLAN_TOOL = 'propose_plan';

export function planAnswers(calls: readonly AwaitedCall[], policy: ApprovePolicy): Answers {
  const answers: Answers = { decisions: [], plans: [], left: [] };
  for (const call of calls) {
    const { tool_call_id, kind, tool_name } = call;
    if (policy !== 'ask' && kind === 'approval') {
      answers.decisions.push({ tool_call_id, decision: policy === 'all' ? 'allow' : 'deny' });
    } else if (policy === 'all' && kind === 'question' && tool_name === PLAN_TOOL) {
      answers.plans.push({ tool_call_id, accepted: true });
    } else {
      answers.left.push(call);
    }
  }
  return answers;
}

export async function giveAnswers(
  client: Client,
  chat_id: string,
  { decisions, plans }: Answers,
): Promise<void> {
  const params = { chat_id };
  if (decisions.length > 0) await client.call('decideApprovals', { params, body: { decisions } });
  for (const { tool_call_id, accepted } of plans) {
    await client.call('answerQuestion', { params, body: { tool_call_id, answer: { accepted } } });
  }
}

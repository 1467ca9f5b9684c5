import type { AwaitedCall } from '@chatd/protocol';
import type { CallDecision, ChatFacts } from './history/history.ts';
import type { FinishReason, HistoryCall, HistoryMessage } from './history/message.ts';
import { DENIED_RESULT, INTERRUPTED_RESULT } from './history/message.ts';
import { isLocalCall } from './history/open-calls.ts';
import type { ApprovalPolicy, ToolIndex } from './tools/tool-index.ts';

/** A call to run, or an error result for a call that does not run. */
export interface PlannedCall {
  call: HistoryCall;
  refuse?: string;
  /** The call waited for an approval. */
  approved?: boolean;
}

interface CallPlan {
  now: PlannedCall[];
  awaited: AwaitedCall[];
}

export interface CallConfig {
  tools: ToolIndex;
  approval?: ApprovalPolicy;
}

/** Some servers end a response with `stop` although it calls tools, so `stop` does not invalidate a complete call. */
const NOT_CALLED: Record<FinishReason, string | undefined> = {
  'tool-calls': undefined,
  stop: undefined,
  other: undefined,
  length:
    'The call was not run: the response was cut off by its length limit before the call was complete. Call again with shorter arguments.',
  interrupted: INTERRUPTED_RESULT,
  'content-filter': 'The call was not run: the provider withheld the rest of the response.',
};

const INCOMPLETE =
  'The call was not run: the response ended before the call was complete. Call again.';

/** Why a call does not run, regardless of its tool. */
const notCalled = (call: HistoryCall, reason: FinishReason): string | undefined =>
  NOT_CALLED[reason] ?? (call.incomplete === true ? INCOMPLETE : undefined);

/** The result of a call that may have had an effect. */
export const UNKNOWN_OUTCOME =
  'The outcome of this call is unknown: the process that ran it stopped before storing its result. It was not run again, because running it twice could cause harm. Check what it did before repeating it.';

/** What happens to each open call of a response. */
export function planCalls(
  response: HistoryMessage,
  open: readonly HistoryCall[],
  chat: ChatFacts,
  config: CallConfig,
): CallPlan {
  const plan: CallPlan = { now: [], awaited: [] };
  const reason = response.meta?.finish_reason ?? 'other';
  const begun = new Set(chat.maybe_started);
  for (const call of open) {
    const refuse = notCalled(call, reason);
    if (refuse !== undefined) {
      plan.now.push({ call, refuse });
      continue;
    }
    const awaited = config.tools.awaited(call.tool_name);
    if (awaited !== undefined) {
      plan.awaited.push(
        awaitedCall(call, awaited.answeredBy === 'client' ? 'dynamic' : 'question'),
      );
      continue;
    }
    if (begun.has(call.tool_call_id)) {
      const again = config.tools.runner(call.tool_name)?.idempotent ?? true;
      const approved = chat.approvals?.[call.tool_call_id] === 'allow' && { approved: true };
      plan.now.push(again ? { call, ...approved } : { call, refuse: UNKNOWN_OUTCOME });
      continue;
    }
    const decision = decide(call, chat, config.approval);
    if (decision === 'ask') plan.awaited.push(awaitedCall(call, 'approval'));
    else plan.now.push({ call, ...decision });
  }
  return plan;
}

/** The calls that start as soon as the response is committed. */
export function startsOf(response: HistoryMessage, chat: ChatFacts, config: CallConfig): string[] {
  const { now } = planCalls(response, response.content.filter(isLocalCall), chat, config);
  return now.filter((p) => p.refuse === undefined).map((p) => p.call.tool_call_id);
}

const awaitedCall = (call: HistoryCall, kind: AwaitedCall['kind']): AwaitedCall => ({
  tool_call_id: call.tool_call_id,
  tool_name: call.tool_name,
  args: call.args,
  kind,
});

function decide(
  call: HistoryCall,
  chat: ChatFacts,
  approval: ApprovalPolicy | undefined,
): 'ask' | Omit<PlannedCall, 'call'> {
  const decision = chat.approvals?.[call.tool_call_id];
  // Before the policy, which may contain a rule that was saved with this decision.
  if (decision !== undefined && decision !== 'allow') return { refuse: denial(decision) };
  const policy = approval?.(call) ?? 'allow';
  if (policy === 'deny') return { refuse: 'The call was not run: it is not allowed here.' };
  if (decision === 'allow') return { approved: true };
  return policy === 'allow' ? {} : 'ask';
}

const denial = (decision: Exclude<CallDecision, 'allow'>): string =>
  decision === 'deny' ? DENIED_RESULT : `${DENIED_RESULT} Reason: ${decision.deny}`;

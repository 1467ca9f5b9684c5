import { isoTime } from './iso-time.ts';
import {
  type HistoryCall,
  type HistoryMessage,
  type HistoryResult,
  INTERRUPTED_RESULT,
} from './history/message.ts';
import { isLocalCall, openCompaction, openStep } from './history/open-calls.ts';

/** The last write of an interrupted turn: the uncommitted messages, and an error result for every call without one. */
export function closingMessages(
  committed: readonly HistoryMessage[],
  pending: readonly HistoryMessage[],
  now: number,
): HistoryMessage[] {
  const created_at = isoTime(now);
  const closed = pending.map((message) => closeProviderCalls(message, created_at));
  const all = [...committed, ...closed];
  const open = [
    ...(openStep(all)?.calls ?? []),
    ...[openCompaction(all)?.call].filter((call) => call !== undefined),
  ];
  const missing = open.map((call) => interruptedResult(call, created_at));
  const last = closed.at(-1);
  const meta = { interrupted: true };
  if (last?.role === 'tool' && last.meta?.compaction === undefined) {
    // Results of one response are one message, in the order of its calls.
    const content = inCallOrder([...last.content, ...missing], all);
    closed[closed.length - 1] = { ...last, content, meta: { ...last.meta, ...meta } };
  } else if (missing.length > 0) {
    closed.push({ role: 'tool', content: missing, meta });
  }
  return closed;
}

const interruptedResult = (call: HistoryCall, created_at: string): HistoryResult => ({
  type: 'tool-result',
  tool_call_id: call.tool_call_id,
  tool_name: call.tool_name,
  result: INTERRUPTED_RESULT,
  is_error: true,
  interrupted: true,
  created_at,
  ...(call.provider_executed === true && { provider_executed: true }),
  ...(call.provider_metadata && { provider_metadata: call.provider_metadata }),
});

/** Provider-executed calls get their result at its usual position. */
function closeProviderCalls(message: HistoryMessage, created_at: string): HistoryMessage {
  if (message.role !== 'assistant') return message;
  const answered = new Set(
    message.content.flatMap((part) => (part.type === 'tool-result' ? [part.tool_call_id] : [])),
  );
  const open = message.content.filter(
    (part): part is HistoryCall =>
      part.type === 'tool-call' &&
      part.provider_executed === true &&
      !answered.has(part.tool_call_id),
  );
  if (open.length === 0) return message;
  const results = open.map((call) => interruptedResult(call, created_at));
  return { ...message, content: [...message.content, ...results] };
}

function inCallOrder(
  results: HistoryMessage['content'],
  messages: readonly HistoryMessage[],
): HistoryMessage['content'] {
  const order = new Map<string, number>();
  for (const message of messages) {
    for (const part of message.content) {
      if (isLocalCall(part)) order.set(part.tool_call_id, order.size);
    }
  }
  const at = (part: HistoryMessage['content'][number]) =>
    part.type === 'tool-result' ? (order.get(part.tool_call_id) ?? order.size) : order.size;
  return results.toSorted((a, b) => at(a) - at(b));
}

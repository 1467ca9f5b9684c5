import { isoTime } from '../iso-time.ts';
import {
  type CompactionSource,
  type HistoryCall,
  type HistoryMessage,
  type HistoryResult,
  SUMMARY_TOOL,
} from '../history/message.ts';
import { isLocalCall, lastStepIndex, openCompaction } from '../history/open-calls.ts';
import { isPaused, turnProgress } from '../history/turn-progress.ts';
import type { Turn } from '../turn.ts';
import { usedTokens } from './due.ts';
import { summarize, type Summarized } from './summarize.ts';
import { summaryText } from './summary-prompt.ts';

/** The call that shows clients that a summary is being written. */
export function compactionCall(source: CompactionSource, now: number): HistoryMessage {
  const call: HistoryCall = {
    type: 'tool-call',
    tool_call_id: `${SUMMARY_TOOL}-${crypto.randomUUID()}`,
    tool_name: SUMMARY_TOOL,
    args: { source },
    created_at: isoTime(now),
  };
  return { role: 'assistant', content: [call], meta: { compaction: { source } } };
}

/** Writes a summary and returns the messages to commit. A failure is a result as well. */
export async function compact(
  turn: Turn,
  messages: readonly HistoryMessage[],
  source: CompactionSource,
): Promise<HistoryMessage[]> {
  const begun = openCompaction(messages);
  const asked = begun === undefined ? compactionCall(source, turn.clock.now()) : undefined;
  const call = begun?.call ?? asked?.content.find((part) => part.type === 'tool-call');
  if (call === undefined) throw new Error('a summary begins with its call');
  const started = turn.clock.now();
  const announce = () => turn.publish({ type: 'part', role: 'assistant', part: call });
  const summarized = await summarize(turn, messages, source, announce);
  const now = turn.clock.now();
  const result = resultOf(call, summarized, messages, now);
  turn.publish({ type: 'part', role: 'tool', part: result });
  const { usage, cost_micros } = summarized;
  const answer: HistoryMessage = {
    role: 'tool',
    content: [result],
    ...(usage && { usage }),
    ...(cost_micros !== undefined && { cost_micros }),
    runtime_ms: now - started,
    meta: {
      compaction: { source, ...(!summarized.ok && { error_kind: summarized.failure.kind }) },
      provider: turn.summaryModel.model.provider,
      model: turn.summaryModel.model.modelId,
    },
  };
  const summary = summarized.ok ? [summaryMessage(summarized.text, messages, source)] : [];
  return [...(asked ? [asked] : []), answer, ...summary];
}

function resultOf(
  call: HistoryCall,
  summarized: Summarized,
  messages: readonly HistoryMessage[],
  now: number,
): HistoryResult {
  const { tool_call_id, tool_name } = call;
  const about = { type: 'tool-result' as const, tool_call_id, tool_name, created_at: isoTime(now) };
  if (!summarized.ok) return { ...about, result: summarized.failure.message, is_error: true };
  const usage = messages[lastStepIndex(messages)]?.usage;
  const used = usedTokens(usage);
  const result = {
    source: (call.args as { source?: string }).source ?? 'automatic',
    ...(used !== undefined && { used_tokens: used }),
    ...(usage?.context_limit !== undefined && { context_limit: usage.context_limit }),
  };
  return { ...about, result };
}

/** With the role user, because a prompt must not consist of system messages only. */
function summaryMessage(
  text: string,
  messages: readonly HistoryMessage[],
  source: CompactionSource,
): HistoryMessage {
  const { steps, reentries } = turnProgress(messages);
  return {
    role: 'user',
    hidden: true,
    content: [{ type: 'text', text: summaryText(text) }],
    meta: { summary: { source, after_finish: hadFinished(messages), steps, reentries } },
  };
}

/** Whether the turn was about to end. */
function hadFinished(messages: readonly HistoryMessage[]): boolean {
  const index = lastStepIndex(messages);
  const step = messages[index];
  if (step === undefined || isPaused(step)) return false;
  const asked = messages.slice(index + 1).some((m) => m.role === 'user' && m.hidden !== true);
  return !asked && !step.content.some(isLocalCall);
}

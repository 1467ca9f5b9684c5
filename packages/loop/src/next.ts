import type { AwaitedCall, ChatError } from '@chatd/protocol';
import { type CompactionConfig, compactionDue } from './compaction/due.ts';
import type { Snapshot } from './history/history.ts';
import type { CompactionSource, HistoryMessage } from './history/message.ts';
import { isLocalCall, lastStepIndex, openCompaction, openStep } from './history/open-calls.ts';
import { isPaused, isStep, turnProgress } from './history/turn-progress.ts';
import { type CallConfig, type PlannedCall, planCalls } from './plan-calls.ts';

export type Next =
  | { type: 'generate' }
  | { type: 'run-tools'; calls: PlannedCall[] }
  | { type: 'compact'; source: CompactionSource }
  | { type: 'require-action'; calls: AwaitedCall[] }
  | { type: 'finish' }
  | { type: 'fail'; error: ChatError };

export interface NextConfig extends CallConfig, CompactionConfig {
  max_steps: number;
}

/** Max number of times that a turn continues after a final summary. */
const MAX_REENTRIES = 3;

/** Max number of consecutive responses that are cut off within a call. Each costs money without progress. */
const MAX_CUT_OFF = 3;

/** Decides how a turn continues, from committed state only. */
export function next({ messages, chat }: Snapshot, config: NextConfig): Next {
  const open = openStep(messages);
  if (open !== undefined) {
    const plan = planCalls(open.message, open.calls, chat, config);
    if (plan.now.length > 0) return { type: 'run-tools', calls: plan.now };
    if (compactionDue(messages, config)) return { type: 'compact', source: 'automatic' };
    return { type: 'require-action', calls: plan.awaited };
  }
  const begun = openCompaction(messages);
  if (begun !== undefined) return { type: 'compact', source: begun.source };
  if (chat.compaction_requested === true) return { type: 'compact', source: 'manual' };
  if (endsWithManualSummary(messages)) return { type: 'finish' };
  if (overflowWasFinal(messages)) return { type: 'fail', error: DOES_NOT_FIT };

  const state = modelState(messages);
  if (state === 'refused') return { type: 'fail', error: REFUSED };
  if (state === 'nothing-to-do' || state === 'interrupted') return { type: 'finish' };
  if (compactionDue(messages, config)) return { type: 'compact', source: 'automatic' };

  const { steps, reentries } = turnProgress(messages);
  const goesOn =
    state === 'wants-more' || (freshlySummarised(messages) && reentries <= MAX_REENTRIES);
  if (!goesOn) return { type: 'finish' };
  if (cutOffCalls(messages) >= MAX_CUT_OFF) return { type: 'fail', error: CUT_OFF };
  if (steps >= config.max_steps) return { type: 'fail', error: tooManySteps(config.max_steps) };
  return { type: 'generate' };
}

/** A prompt that is too long is summarized once; if it still does not fit, the turn fails. */
export function mayCompactForOverflow(messages: readonly HistoryMessage[]): boolean {
  const asked = messages.findLastIndex((m) => m.role === 'user' && m.hidden !== true);
  const since = messages.slice(Math.max(asked, lastStepIndex(messages)) + 1);
  return !since.some((m) => m.meta?.compaction?.source === 'overflow');
}

type ModelState = 'wants-more' | 'finished' | 'interrupted' | 'refused' | 'nothing-to-do';

/** The state of the model after its last response and everything since. */
function modelState(messages: readonly HistoryMessage[]): ModelState {
  const index = lastStepIndex(messages);
  const since = messages.slice(index + 1);
  const step = messages[index];
  if (since.some((m) => m.role === 'user' && m.hidden !== true)) return 'wants-more';
  if (step?.meta === undefined) {
    return since.some((m) => m.role === 'user') ? 'wants-more' : 'nothing-to-do';
  }
  const { finish_reason } = step.meta;
  if (finish_reason === 'interrupted' || since.some((m) => m.meta?.interrupted === true)) {
    return 'interrupted';
  }
  if (finish_reason === 'content-filter') return 'refused';
  return isPaused(step) || step.content.some(isLocalCall) ? 'wants-more' : 'finished';
}

/** The number of responses at the end of this turn with cut-off calls. */
function cutOffCalls(messages: readonly HistoryMessage[]): number {
  const begun = messages.findLastIndex((m) => m.role === 'user' && m.hidden !== true);
  const steps = messages.slice(begun + 1).filter(isStep);
  return steps.length - 1 - steps.findLastIndex((step) => !isCutOff(step));
}

const isCutOff = ({ content, meta }: HistoryMessage): boolean =>
  content.some(
    (part) => isLocalCall(part) && (meta?.finish_reason === 'length' || part.incomplete),
  );

const freshlySummarised = (messages: readonly HistoryMessage[]): boolean =>
  messages.slice(lastStepIndex(messages) + 1).some((m) => m.meta?.summary?.after_finish === true);

function endsWithManualSummary(messages: readonly HistoryMessage[]): boolean {
  const meta = messages.at(-1)?.meta;
  return meta?.summary?.source === 'manual' || meta?.compaction?.source === 'manual';
}

/** Whether the last event is a failed summary of a prompt that was too long. */
function overflowWasFinal(messages: readonly HistoryMessage[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'tool' && last.meta?.compaction?.source === 'overflow';
}

const DOES_NOT_FIT: ChatError = {
  kind: 'context_length',
  retryable: false,
  message:
    'The conversation is too long for this model and could not be summarized. Choose a model with a larger context, or start a new chat.',
};

const REFUSED: ChatError = {
  kind: 'content_filter',
  retryable: false,
  message: 'The provider refused to respond. Rephrase the message, or choose another model.',
};

const CUT_OFF: ChatError = {
  kind: 'config',
  retryable: false,
  message: `The response was cut off by its length limit within a tool call, ${MAX_CUT_OFF} times in a row. Raise max_output_tokens of the model, or ask for smaller steps.`,
};

const tooManySteps = (limit: number): ChatError => ({
  kind: 'step_limit',
  retryable: false,
  message: `The turn was stopped after ${limit} steps. Send a message to continue.`,
});

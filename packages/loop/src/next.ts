import type { AwaitedCall, ChatError } from '@chatd/protocol';
import { type CompactionConfig, compactionDue } from './compaction/due.ts';
import type { Snapshot } from './history/history.ts';
import type { CompactionSource, HistoryMessage } from './history/message.ts';
import { isLocalCall, lastStepIndex, openCompaction, openStep } from './history/open-calls.ts';
import { turnProgress } from './history/turn-progress.ts';
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

/** A turn goes in again after a final summary at most this often. */
const MAX_REENTRIES = 3;

/** The one place that decides how a turn goes on. It looks at nothing but what is committed. */
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
  if (steps >= config.max_steps) return { type: 'fail', error: tooManySteps(config.max_steps) };
  return { type: 'generate' };
}

/** A prompt that was too long is summarised once; if it still does not fit, the turn fails. */
export function mayCompactForOverflow(messages: readonly HistoryMessage[]): boolean {
  const asked = messages.findLastIndex((m) => m.role === 'user' && m.hidden !== true);
  const since = messages.slice(Math.max(asked, lastStepIndex(messages)) + 1);
  return !since.some((m) => m.meta?.compaction?.source === 'overflow');
}

type ModelState = 'wants-more' | 'finished' | 'interrupted' | 'refused' | 'nothing-to-do';

/** Where the model stands after its last response and everything that came since. */
function modelState(messages: readonly HistoryMessage[]): ModelState {
  const index = lastStepIndex(messages);
  const since = messages.slice(index + 1);
  const step = messages[index];
  if (since.some((m) => m.role === 'user' && m.hidden !== true)) return 'wants-more';
  if (step?.meta === undefined) {
    return since.some((m) => m.role === 'user') ? 'wants-more' : 'nothing-to-do';
  }
  const { finish_reason, finish_raw } = step.meta;
  if (finish_reason === 'interrupted' || since.some((m) => m.meta?.interrupted === true)) {
    return 'interrupted';
  }
  if (finish_reason === 'content-filter') return 'refused';
  // Anthropic pauses a long turn of server tools; sending it back lets the model go on.
  if (finish_raw === 'pause_turn') return 'wants-more';
  const called = step.content.some(isLocalCall);
  if (called && (finish_reason === 'tool-calls' || finish_reason === 'length')) return 'wants-more';
  return 'finished';
}

const freshlySummarised = (messages: readonly HistoryMessage[]): boolean =>
  messages.slice(lastStepIndex(messages) + 1).some((m) => m.meta?.summary?.after_finish === true);

function endsWithManualSummary(messages: readonly HistoryMessage[]): boolean {
  const meta = messages.at(-1)?.meta;
  return meta?.summary?.source === 'manual' || meta?.compaction?.source === 'manual';
}

/** The last thing that happened is a failed summary of a prompt that was already too long. */
function overflowWasFinal(messages: readonly HistoryMessage[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'tool' && last.meta?.compaction?.source === 'overflow';
}

const DOES_NOT_FIT: ChatError = {
  kind: 'config',
  retryable: false,
  message:
    'The conversation is too long for this model and could not be summarised. Choose a model with a larger context, or start a new chat.',
};

const REFUSED: ChatError = {
  kind: 'content_filter',
  retryable: false,
  message: 'The provider refused to answer this. Rephrase the message, or choose another model.',
};

const tooManySteps = (limit: number): ChatError => ({
  kind: 'step_limit',
  retryable: false,
  message: `The turn was stopped after ${limit} steps. Send a message to let it go on.`,
});

import { checkFence, type Fence } from '../fence.ts';
import { openAfter } from '../open-calls.ts';
import { join, joinsAtStep, order, without } from '../queue.ts';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import { BEGIN_ATTEMPT, FINISH_TURN } from '../turn.ts';
import type { ModelCall, NewMessage, Writes } from '../writes.ts';

/** What a runner commits: a complete response, the results of its tools, or a summary. */
export interface Step {
  readonly messages: readonly NewMessage[];
  readonly attempt: number;
  readonly call?: ModelCall;
  /** The step completes the compaction that a client requested, with a summary or with an error. */
  readonly compacted?: boolean;
  /** What the runner does next. Part of the commit, unless a message is queued, a call is open or compaction is requested. */
  readonly next?: 'begin_attempt' | 'finish_turn';
}

/** Unless calls stay open this is a step boundary, where steering messages join the history. */
export function commitStep(chat: LockedChat, fence: Fence, step: Step): Writes {
  checkFence(chat, fence);
  if (chat.attempt !== step.attempt) {
    throw new Refused('obsolete', `The current attempt is ${chat.attempt}, not ${step.attempt}.`);
  }
  const open_calls = openAfter(chat.open_calls, step.messages);
  const steering = open_calls.length === 0 ? joinsAtStep(chat.queue) : [];
  const joined = join(chat, steering, 'step');
  const compaction_requested = chat.compaction_requested && step.compacted !== true;
  const isDone = chat.queue.length === 0 && open_calls.length === 0 && !compaction_requested;
  const next = isDone ? step.next : undefined;
  return {
    chat: {
      ...joined.chat,
      open_calls,
      retry: null,
      compaction_requested,
      ...(next === 'begin_attempt' && BEGIN_ATTEMPT),
      ...(next === 'finish_turn' && FINISH_TURN),
    },
    ...(next === 'begin_attempt' && { attempt: 1 }),
    ...(next === 'finish_turn' && { active: true }),
    messages: [...step.messages, ...joined.messages],
    episode: { ...fence, attempt: step.attempt },
    ...(steering.length > 0 && { queue: order(without(chat.queue, steering)) }),
    ...(step.call !== undefined && { call: step.call }),
  };
}

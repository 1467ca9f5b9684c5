import { checkFence, type Fence } from '../fence.ts';
import { openAfter } from '../open-calls.ts';
import { join, joinsAtStep, order, without } from '../queue.ts';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import type { ModelCall, NewMessage, Writes } from '../writes.ts';

/** What a runner commits: a complete response, the results of its tools, or a summary. */
export interface Step {
  readonly messages: readonly NewMessage[];
  readonly attempt: number;
  readonly call?: ModelCall;
  /** The step completes the compaction that a client requested, with a summary or with an error. */
  readonly compacted?: boolean;
  /**
   * What the runner does next. The store does it in the same write if nothing else is left to do: no message is queued,
   * no call is open and no compaction is requested. Otherwise it only commits the step.
   */
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
  return {
    chat: {
      ...joined.chat,
      open_calls,
      retry: null,
      ...(step.compacted === true && { compaction_requested: false }),
    },
    messages: [...step.messages, ...joined.messages],
    episode: { ...fence, attempt: step.attempt },
    ...(steering.length > 0 && { queue: order(without(chat.queue, steering)) }),
    ...(step.call !== undefined && { call: step.call }),
  };
}

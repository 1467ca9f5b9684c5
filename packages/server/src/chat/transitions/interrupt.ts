import { CANCELLED, unanswered } from '../open-calls.ts';
import type { LockedChat } from '../row.ts';
import type { Writes } from '../writes.ts';
import { answerCalls } from './answer-calls.ts';

export function interrupt(chat: LockedChat, now: Date): Writes {
  if (chat.status === 'requires_action') {
    return answerCalls(chat, unanswered(chat.open_calls, CANCELLED, now));
  }
  return chat.status === 'interrupting' ? {} : { chat: { status: 'interrupting' } };
}

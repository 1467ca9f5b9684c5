import { CANCELLED, unanswered } from '../open-calls.ts';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import type { Writes } from '../writes.ts';
import { answerCalls } from './answer-calls.ts';

/** The client sent no tool results in time. Questions and approvals stay open. The database decides what has expired. */
export function expireAction(chat: LockedChat, expired: boolean, now: Date): Writes {
  if (!expired) throw new Refused('not_runnable', 'The deadline has not passed.');
  const dynamic = chat.open_calls.filter((call) => call.kind === 'dynamic');
  return answerCalls(chat, unanswered(dynamic, CANCELLED, now));
}

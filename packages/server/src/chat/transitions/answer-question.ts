import type { Answer } from '@chatd/protocol';
import { answered } from '../answers.ts';
import { isAwaited } from '../open-calls.ts';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import type { Writes } from '../writes.ts';
import { answerCalls } from './answer-calls.ts';

/** A person answers what the agent has asked. The first answer counts. */
export function answerQuestion(
  chat: LockedChat,
  callId: string,
  answer: Answer,
  now: Date,
): Writes {
  const call = chat.open_calls.find(({ tool_call_id }) => tool_call_id === callId);
  if (call === undefined || call.kind !== 'question' || !isAwaited(call)) {
    throw new Refused(
      'not_waiting_for_you',
      `The call ${callId} does not wait for an answer: another client may have been faster.`,
    );
  }
  const { result, properties } = answered(call.tool_name, answer);
  const writes = answerCalls(chat, [
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          tool_call_id: callId,
          tool_name: call.tool_name,
          result,
          created_at: now.toISOString(),
        },
      ],
    },
  ]);
  return properties === undefined ? writes : { ...writes, properties };
}

import type { Answer } from '@chatd/protocol';
import { answered } from '../answers.ts';
import { isAwaited } from '../open-calls.ts';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import type { Writes } from '../writes.ts';
import { answerCalls } from './answer-calls.ts';

/** The user answers a question of the agent. The first answer counts. */
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
      `Tool call ${callId} is not waiting for an answer. Another client may have answered it.`,
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

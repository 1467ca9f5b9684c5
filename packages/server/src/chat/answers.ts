import type { Answer, Json } from '@chatd/protocol';
import { Refused } from './refused.ts';
import type { ChatProperties } from './writes.ts';

/** The tools with which agents ask users. */
export const ASK_TOOL = 'ask_user_question';
export const PLAN_TOOL = 'propose_plan';

interface Answered {
  readonly result: Json;
  readonly properties?: ChatProperties;
}

/** The tool result for an answer to a question or a plan, and what the answer changes in the chat. */
export function answered(toolName: string, answer: Answer): Answered {
  if (toolName !== PLAN_TOOL) {
    if (typeof answer === 'object' && 'accepted' in answer) {
      throw new Refused(
        'invalid_answer',
        'answer: This is a question, not a plan. Answer with text or with the selected options.',
      );
    }
    return { result: typeof answer === 'string' ? answer : ({ ...answer } as Json) };
  }
  if (typeof answer !== 'object' || !('accepted' in answer)) {
    throw new Refused('invalid_answer', 'answer: This is a plan. Set `accepted` to true or false.');
  }
  const comment = answer.text === undefined ? '' : ` The user says: ${answer.text}`;
  if (!answer.accepted) {
    return {
      result: `The user rejected the plan.${comment} Plan mode stays on. Revise the plan and propose it again.`,
    };
  }
  return {
    result: `The user accepted the plan. Plan mode is off. Carry out the plan now.${comment}`,
    properties: { plan_mode: false },
  };
}

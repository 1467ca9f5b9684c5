import type { Answer, Json } from '@chatd/protocol';
import { Refused } from './refused.ts';
import type { ChatProperties } from './writes.ts';

/** By these names agents ask people. */
export const ASK_TOOL = 'ask_user_question';
export const PLAN_TOOL = 'propose_plan';

interface Answered {
  /** What the agent is told. */
  readonly result: Json;
  readonly properties?: ChatProperties;
}

/** What an answer to a question, or to a plan, means. */
export function answered(toolName: string, answer: Answer): Answered {
  if (toolName !== PLAN_TOOL) {
    if (typeof answer === 'object' && 'accepted' in answer) {
      throw new Refused(
        'invalid_answer',
        'answer: this is a question, not a plan: answer with text or with the options that are selected.',
      );
    }
    return { result: typeof answer === 'string' ? answer : ({ ...answer } as Json) };
  }
  if (typeof answer !== 'object' || !('accepted' in answer)) {
    throw new Refused('invalid_answer', 'answer: say whether the plan is accepted.');
  }
  const said = answer.text === undefined ? '' : ` They say: ${answer.text}`;
  if (!answer.accepted) {
    return {
      result: `The user does not accept the plan.${said} Plan mode goes on: revise the plan and propose it again.`,
    };
  }
  return {
    result: `The user accepts the plan: plan mode is over, carry it out now.${said}`,
    properties: { plan_mode: false },
  };
}

import type { ChatRow } from '../../chat/row.ts';
import type { Equipment, Toolbox } from '../toolbox.ts';
import { askUserQuestion } from './ask-user-question.ts';
import { proposePlan } from './propose-plan.ts';
import { todoWrite } from './todo-write.ts';

const PLAN_MODE =
  'This chat is in plan mode: read and ask as much as you need, but change nothing. When you know what to do, propose a plan with propose_plan. Carry it out once the user has accepted it.';

/** Tools with which agents communicate with the user. A subagent reports to its parent instead of asking. */
export const approvalToolbox: Toolbox = {
  open({ plan_mode, parent_chat_id }: ChatRow): Promise<Equipment> {
    const readOnly = [todoWrite.name];
    if (parent_chat_id !== null) return Promise.resolve({ tools: [todoWrite], readOnly });
    return Promise.resolve({
      tools: [todoWrite, askUserQuestion, ...(plan_mode ? [proposePlan] : [])],
      readOnly,
      ...(plan_mode && { system: [PLAN_MODE] }),
    });
  },
};

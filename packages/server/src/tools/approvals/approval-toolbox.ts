import type { ChatRow } from '../../chat/row.ts';
import type { Toolbox, TurnTools } from '../toolbox.ts';
import { askUserQuestion } from './ask-user-question.ts';
import { proposePlan } from './propose-plan.ts';
import { todoWrite } from './todo-write.ts';

const PLAN_MODE =
  'This chat is in plan mode: read and ask as much as you need, but change nothing. When you know what to do, propose a plan with propose_plan. Carry it out once the user has accepted it.';

/** Tools with which agents communicate with the user. A subagent reports to its parent instead of asking. */
export const approvalToolbox: Toolbox = {
  source: 'people',
  open: (chat) => Promise.resolve(toolsFor(chat)),
  preview: (chat) => Promise.resolve({ tools: toolsFor(chat).tools }),
};

function toolsFor({ plan_mode, parent_chat_id }: ChatRow): TurnTools {
  if (parent_chat_id !== null) return { tools: [todoWrite] };
  return {
    tools: [todoWrite, askUserQuestion, ...(plan_mode ? [proposePlan] : [])],
    ...(plan_mode && { system: [PLAN_MODE] }),
  };
}

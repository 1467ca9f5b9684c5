import type { LocalTool, Tool } from '@chatd/loop';
import type { ChatRow } from '../chat/row.ts';
import type { AgentTool } from '../tools/agent-tool.ts';

export interface Permitted {
  readonly tools: readonly Tool[];
  /** Names of tools that are not offered and only return an error. */
  readonly refused: ReadonlySet<string>;
}

/** Why the agent of a chat is read-only. Undefined: it is not. */
function reasonToLook({ plan_mode, agent_type }: ChatRow): string | undefined {
  if (agent_type === 'explore') {
    return 'The call was not run: you are an agent that explores, and changes nothing. Report what should be done instead.';
  }
  if (plan_mode) {
    return 'The call was not run: this chat is in plan mode, in which nothing is changed. Propose a plan with propose_plan, and go on when the user has accepted it.';
  }
  return undefined;
}

/**
 * In plan mode and for explorer agents, tools with effects are replaced by ones that return an error, for agents that call
 * them although they are not offered.
 */
export function permittedTools(chat: ChatRow, tools: readonly AgentTool[]): Permitted {
  if (chat.agent_type === 'computer')
    return { tools: tools.filter(({ forDesktops }) => forDesktops === true), refused: new Set() };
  const why = reasonToLook(chat);
  if (why === undefined) return { tools, refused: new Set() };
  const refused = new Set<string>();
  const permitted = tools.flatMap((tool): Tool[] => {
    // Tools that the provider executes change nothing here.
    if ('provider' in tool) return tool.runner === undefined ? [tool] : [];
    const asks = 'answeredBy' in tool && tool.answeredBy === 'person';
    if (asks || ('run' in tool && tool.readOnly === true)) return [tool];
    refused.add(tool.name);
    return [refusing(tool, why)];
  });
  return { tools: permitted, refused };
}

const refusing = (
  { name, description = '' }: { name: string; description?: string },
  why: string,
): LocalTool => ({
  name,
  description,
  input: { type: 'object' },
  idempotent: true,
  run: () => Promise.reject(new Error(why)),
});

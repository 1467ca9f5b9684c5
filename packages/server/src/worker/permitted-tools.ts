import type { LocalTool, Tool } from '@chatd/loop';
import type { ChatRow } from '../chat/row.ts';

export interface Permitted {
  readonly tools: readonly Tool[];
  /** Names of tools that are known, do nothing, and are not offered. */
  readonly refused: ReadonlySet<string>;
}

/** Why the agent of a chat may look and not touch; undefined when it may do both. */
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
 * In plan mode, and for agents that explore, a tool that may have an effect is replaced by one that only says so: an agent
 * that calls it from memory is told, and nothing happens.
 */
export function permittedTools(
  chat: ChatRow,
  tools: readonly Tool[],
  readOnly: readonly string[] = [],
): Permitted {
  const why = reasonToLook(chat);
  if (why === undefined) return { tools, refused: new Set() };
  const harmless = new Set(readOnly);
  const refused = new Set<string>();
  const permitted = tools.flatMap((tool): Tool[] => {
    // What the provider executes changes nothing here.
    if ('provider' in tool) return tool.runner === undefined ? [tool] : [];
    const asks = 'answeredBy' in tool && tool.answeredBy === 'person';
    if (asks || ('run' in tool && harmless.has(tool.name))) return [tool];
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

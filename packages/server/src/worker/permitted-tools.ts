import type { LocalTool, Tool } from '@chatd/loop';
import type { ChatRow } from '../chat/row.ts';

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
export function permittedTools(
  chat: ChatRow,
  tools: readonly Tool[],
  readOnly: readonly string[] = [],
): Permitted {
  if (chat.agent_type === 'computer')
    return { tools: tools.filter(isForDesktops), refused: new Set() };
  const why = reasonToLook(chat);
  if (why === undefined) return { tools, refused: new Set() };
  const harmless = new Set(readOnly);
  const refused = new Set<string>();
  const permitted = tools.flatMap((tool): Tool[] => {
    // Tools that the provider executes change nothing here.
    if ('provider' in tool) return tool.runner === undefined ? [tool] : [];
    const asks = 'answeredBy' in tool && tool.answeredBy === 'person';
    if (asks || ('run' in tool && harmless.has(tool.name))) return [tool];
    refused.add(tool.name);
    return [refusing(tool, why)];
  });
  return { tools: permitted, refused };
}

/** What an agent that uses a desktop has: the desktop, and what it needs to bring work there and back. */
const FOR_DESKTOPS = new Set([
  'computer',
  'read_file',
  'write_file',
  'edit_files',
  'list_files',
  'search_files',
  'execute',
  'process_output',
  'process_list',
  'process_signal',
  'read_skill',
  'read_skill_file',
  'todo_write',
]);

const isForDesktops = (tool: Tool): boolean => 'name' in tool && FOR_DESKTOPS.has(tool.name);

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

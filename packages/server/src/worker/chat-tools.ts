import {
  type ActiveTools,
  type AwaitedTool,
  type LocalTool,
  SUMMARY_TOOL,
  type Tool,
} from '@chatd/loop';
import type { ChatRow } from '../chat/row.ts';
import type { AgentTool } from '../tools/agent-tool.ts';
import type { TurnTools } from '../tools/toolbox.ts';

/** The tools of a chat: dynamic tools, which the client executes, and those of the server. Dynamic tools take precedence. */
export function chatTools(
  chat: ChatRow,
  server: readonly AgentTool[],
  prepare: (tool: LocalTool) => LocalTool,
): AgentTool[] {
  const dynamic = chat.dynamic_tools.map(({ name, description, input_schema }): AwaitedTool => ({
    name,
    description,
    input: input_schema,
    answeredBy: 'client',
  }));
  const named = new Map<string, AgentTool>();
  for (const tool of [...dynamic, ...server]) {
    const name = nameOf(tool);
    // Chats from before the name was reserved may have such a tool.
    if (name === SUMMARY_TOOL) continue;
    if (!named.has(name)) named.set(name, 'run' in tool ? prepare(tool) : tool);
  }
  return [...named.values()];
}

export const nameOf = (tool: Tool) => ('provider' in tool ? tool.provider.name : tool.name);

/** The names of the offered tools. Undefined: all. */
export function activeTools(
  tools: readonly Tool[],
  withheld: TurnTools['withheld'],
  refused: ReadonlySet<string>,
): { activeTools?: ActiveTools } {
  if (withheld === undefined && refused.size === 0) return {};
  const names = tools.map(nameOf).filter((name) => !refused.has(name));
  if (withheld === undefined) return { activeTools: names };
  return {
    activeTools(messages) {
      const hidden = withheld(messages);
      return names.filter((name) => !hidden.has(name));
    },
  };
}

import type { ToolBudget } from './budget.ts';

/** An MCP server of a chat in this turn. */
export interface ServerState {
  readonly name: string;
  readonly tools: number;
  readonly instructions: string;
  /** Why the server has no tools. */
  readonly trouble?: string;
}

/** The part of the system prompt about MCP servers. Undefined: none needed. */
export function systemText(
  servers: readonly ServerState[],
  withheld: { count: number; budget: ToolBudget } | undefined,
): string | undefined {
  const lines: string[] = [];
  if (withheld !== undefined) {
    const list = servers
      .filter(({ tools }) => tools > 0)
      .map(({ name, tools }) => `${name} (${tools})`)
      .join(', ');
    lines.push(
      `${withheld.count} additional tools are not listed here. Search them with find_tools, then call the results. They belong to: ${list}.`,
    );
  }
  for (const { name, instructions } of servers) {
    if (instructions.trim() === '') continue;
    lines.push(
      `Usage instructions from the server of the tools ${name}__*:\n${instructions.trim()}`,
    );
  }
  for (const { name, trouble } of servers) {
    if (trouble === undefined) continue;
    lines.push(
      `The tools ${name}__* are not available in this turn. ${trouble} If you need them, tell the user.`,
    );
  }
  return lines.length === 0 ? undefined : lines.join('\n\n');
}

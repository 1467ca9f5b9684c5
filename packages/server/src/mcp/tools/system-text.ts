import type { ToolBudget } from './budget.ts';

/** A server of a chat in this turn. */
export interface ServerState {
  readonly name: string;
  readonly tools: number;
  readonly instructions: string;
  /** Why it has none. */
  readonly trouble?: string;
}

/** What there is to know of the servers, for the system prompt. Undefined: nothing. */
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
      `${withheld.count} further tools are available and not listed here: search them with find_tools, then call what it finds. They belong to: ${list}.`,
    );
  }
  for (const { name, instructions } of servers) {
    if (instructions.trim() === '') continue;
    lines.push(
      `How the server of the tools ${name}__* describes their use:\n${instructions.trim()}`,
    );
  }
  for (const { name, trouble } of servers) {
    if (trouble === undefined) continue;
    lines.push(
      `The tools ${name}__* are missing in this turn. ${trouble} If they are needed, say so to the user.`,
    );
  }
  return lines.length === 0 ? undefined : lines.join('\n\n');
}

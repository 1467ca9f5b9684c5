export interface ToolPatterns {
  /** Null: all. */
  readonly tool_allow: readonly string[] | null;
  readonly tool_deny: readonly string[];
}

/** Whether agents get a tool of this name. What is denied is denied, whatever allows it. */
export function isAllowed(name: string, { tool_allow, tool_deny }: ToolPatterns): boolean {
  const fits = (pattern: string) => expression(pattern).test(name);
  return !tool_deny.some(fits) && (tool_allow === null || tool_allow.some(fits));
}

/** `*` stands for any text, `?` for one character. */
function expression(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/\*+/g, '*')
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}

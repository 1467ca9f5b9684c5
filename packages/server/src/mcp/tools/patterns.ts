export interface ToolPatterns {
  /** Null: all. */
  readonly tool_allow: readonly string[] | null;
  readonly tool_deny: readonly string[];
}

/** Whether agents get a tool of this name. What is denied is denied, whatever allows it. */
export function isAllowed(name: string, { tool_allow, tool_deny }: ToolPatterns): boolean {
  const fits = (pattern: string) => matches(name, pattern);
  return !tool_deny.some(fits) && (tool_allow === null || tool_allow.some(fits));
}

/**
 * `*` stands for any text, `?` for one character. Without a regular expression: one with many stars would try more
 * ways than there is time. Only the last star ever has to give more room.
 */
function matches(name: string, pattern: string): boolean {
  let at = 0;
  let of = 0;
  let star = -1;
  let after = 0;
  while (at < name.length) {
    if (pattern[of] === '*') {
      star = of;
      after = at;
      of += 1;
    } else if (pattern[of] === '?' || pattern[of] === name[at]) {
      at += 1;
      of += 1;
    } else if (star >= 0) {
      after += 1;
      at = after;
      of = star + 1;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(of));
}

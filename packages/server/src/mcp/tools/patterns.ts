export interface ToolPatterns {
  /** Null: all tools. */
  readonly tool_allow: readonly string[] | null;
  readonly tool_deny: readonly string[];
}

/** Whether agents may use a tool. Deny takes precedence over allow. */
export function isAllowed(name: string, { tool_allow, tool_deny }: ToolPatterns): boolean {
  const fits = (pattern: string) => matches(name, pattern);
  return !tool_deny.some(fits) && (tool_allow === null || tool_allow.some(fits));
}

/**
 * `*` matches any text, `?` one character. Linear time, unlike a regular expression: only the last star ever
 * backtracks.
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

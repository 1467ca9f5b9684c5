import type { HistoryMessage } from '@chatd/loop';
import type { Json } from '@chatd/protocol';

export const FIND_TOOLS = 'find_tools';

/** Maximum number of found tools to offer, latest first. */
const MAX = 64;

/**
 * The tools found in this chat. Derived from the history, so that they are still known in the next turn, in another
 * process, and after compaction.
 */
export function foundTools(messages: readonly HistoryMessage[]): Set<string> {
  const found = new Set<string>();
  for (const { content } of messages) {
    for (const part of content) {
      if (part.type !== 'tool-result' || part.tool_name !== FIND_TOOLS) continue;
      if (part.is_error === true) continue;
      for (const name of namesIn(part.result)) {
        found.delete(name);
        found.add(name);
      }
    }
  }
  return new Set([...found].slice(-MAX));
}

function namesIn(result: Json | undefined): string[] {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return [];
  const { tools } = result;
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => {
    if (typeof tool !== 'object' || tool === null || Array.isArray(tool)) return [];
    return typeof tool['name'] === 'string' ? [tool['name']] : [];
  });
}

import type { HistoryMessage, HistoryPart, HistoryResult } from '../history/message.ts';

/** Files leave in blocks, so that the provider's cache stays valid in between. */
const BLOCK = 10;
const LEFT_OUT = '[its files are no longer shown: there are newer ones]';

/** The same copy for the same message, so that its conversion can be reused. */
const bare = new WeakMap<HistoryMessage, HistoryMessage>();

/**
 * Keeps the files of only the newest results of some tools. Hundreds of screenshots would not fit into a prompt, and
 * the newest show the current state.
 */
export function withRecentFiles(
  messages: readonly HistoryMessage[],
  limits: ReadonlyMap<string, number>,
): readonly HistoryMessage[] {
  if (limits.size === 0) return messages;
  const old = oldest(messages, limits);
  return old.size === 0
    ? messages
    : messages.map((message) => (old.has(message) ? without(message, limits) : message));
}

function oldest(
  messages: readonly HistoryMessage[],
  limits: ReadonlyMap<string, number>,
): Set<HistoryMessage> {
  const old = new Set<HistoryMessage>();
  for (const [name, limit] of limits) {
    const holders = messages.filter(({ content }) => content.some((part) => hasFiles(part, name)));
    const excess = Math.max(0, holders.length - limit);
    for (const message of holders.slice(0, excess - (excess % BLOCK))) old.add(message);
  }
  return old;
}

const hasFiles = (part: HistoryPart, name: string): part is HistoryResult =>
  part.type === 'tool-result' && part.tool_name === name && (part.file_ids?.length ?? 0) > 0;

function without(message: HistoryMessage, limits: ReadonlyMap<string, number>): HistoryMessage {
  let copy = bare.get(message);
  if (copy === undefined) {
    const content = message.content.map((part) => {
      const isOld = part.type === 'tool-result' && limits.has(part.tool_name);
      if (!isOld || !hasFiles(part, part.tool_name)) return part;
      const { file_ids: _, is_media: __, ...rest } = part;
      const said = typeof part.result === 'string' ? part.result : JSON.stringify(part.result);
      return { ...rest, result: said === '' ? LEFT_OUT : `${said}\n${LEFT_OUT}` };
    });
    copy = { ...message, content };
    bare.set(message, copy);
  }
  return copy;
}

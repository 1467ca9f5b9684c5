import type { HistoryMessage, HistoryPart, HistoryResult } from '../history/message.ts';

/** Files go in blocks: while they are only added to, the provider's cache goes on to fit. */
const BLOCK = 10;
const LEFT_OUT = '[its files are not shown any more: there are newer ones]';

/** The same copy for the same message: what was made of it before can be used again. */
const bare = new WeakMap<HistoryMessage, HistoryMessage>();

/**
 * The messages with the files of the newest results of some tools only. Hundreds of pictures of a screen would not fit any
 * prompt, and the newest ones say how it is now.
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

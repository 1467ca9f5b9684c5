import type { Message } from '@chatd/protocol';

/** Inserts or replaces in place. Messages arrive in order, so this is usually an append. */
export function upsert(messages: Message[], message: Message): void {
  const last = messages.at(-1);
  if (last === undefined || last.id < message.id) {
    messages.push(message);
    return;
  }
  const at = messages.findIndex(({ id }) => id >= message.id);
  messages.splice(at, messages[at]?.id === message.id ? 1 : 0, message);
}

export function withOlder(messages: readonly Message[], older: readonly Message[]): Message[] {
  const first = messages[0]?.id ?? Infinity;
  return [...older.filter(({ id }) => id < first), ...messages];
}

/**
 * After a history reset, the newest messages are sent again. Older messages are kept, and with them the scroll position,
 * if the first of the new ones was known: a version that was selected has other messages before it.
 */
export function withKept(messages: readonly Message[], before: readonly Message[]): Message[] {
  const first = messages[0]?.id;
  return before.some(({ id }) => id === first) ? withOlder(messages, before) : [...messages];
}

import type { Message } from '@chatd/protocol';

/** Messages come in order, so that this is an append but for corrections. Changes the list. */
export function upsert(messages: Message[], message: Message): void {
  const last = messages.at(-1);
  if (last === undefined || last.id < message.id) {
    messages.push(message);
    return;
  }
  const at = messages.findIndex(({ id }) => id >= message.id);
  messages.splice(at, messages[at]?.id === message.id ? 1 : 0, message);
}

/** Older ones before those that are there. */
export function withOlder(messages: readonly Message[], older: readonly Message[]): Message[] {
  const first = messages[0]?.id ?? Infinity;
  return [...older.filter(({ id }) => id < first), ...messages];
}

/**
 * After an edit the newest messages come again. Those before them have not changed, so they stay, and with them the place
 * where somebody reads.
 */
export function withKept(messages: readonly Message[], before: readonly Message[]): Message[] {
  const first = messages[0];
  return first === undefined ? [] : withOlder(messages, before);
}

/**
 * The ID of a tool call in the journal of a machine. The time tells calls of the same ID apart: providers may repeat IDs
 * after an edit of the history.
 */
export const callKey = (
  chatId: string,
  call: { readonly callId: string; readonly calledAt?: string | undefined },
): string => `${chatId}/${call.calledAt ?? ''}/${call.callId}`;

/** Undefined: not the ID of a tool call. */
export function callOfKey(key: string): { chatId: string; callId: string } | undefined {
  const found = /^([0-9a-f-]{36})\/[^/]*\/(.+)$/s.exec(key);
  return found?.[1] === undefined || found[2] === undefined
    ? undefined
    : { chatId: found[1], callId: found[2] };
}

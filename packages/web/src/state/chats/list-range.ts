import type { Chat } from '@chatd/protocol';

/** A range of the chat list, from newer to older. */
export interface ListRange {
  /** Includes the start of the list, with pinned chats. */
  readonly first: boolean;
  /** Null: starts with the newest. */
  readonly upper: string | null;
  /** Null: extends to the end. */
  readonly lower: string | null;
}

/**
 * Whether a list of this range would include the chat. Chats with the same time as an end may be in the adjacent range,
 * so nothing is known about them.
 */
export function covers({ first, upper, lower }: ListRange, chat: Chat): boolean {
  if (chat.parent_chat_id !== undefined || chat.archived) return false;
  if (chat.pin_order > 0) return first;
  return (upper === null || chat.active_at < upper) && (lower === null || chat.active_at > lower);
}

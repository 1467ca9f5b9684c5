import type { Chat } from '@chatd/protocol';

/** A stretch of the list of chats, from the newer end to the older one. */
export interface Range {
  /** It begins where the list does, with what is pinned. */
  readonly first: boolean;
  /** Null: it begins with the newest. */
  readonly upper: string | null;
  /** Null: it reaches to the end. */
  readonly lower: string | null;
}

/**
 * Whether a list of that stretch would name this chat. At its ends others were active at the same time and are in the
 * next one: of those nothing can be said.
 */
export function covers({ first, upper, lower }: Range, chat: Chat): boolean {
  if (chat.parent_chat_id !== undefined || chat.archived) return false;
  if (chat.pin_order > 0) return first;
  return (upper === null || chat.active_at < upper) && (lower === null || chat.active_at > lower);
}

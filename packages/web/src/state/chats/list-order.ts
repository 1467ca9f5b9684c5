import type { Chat } from '@chatd/protocol';
import type { ChatsById } from './chat-list.ts';

/** The server's order: last activity first. */
export const byActivity = (a: Chat, b: Chat): number =>
  compare(b.active_at, a.active_at) || compare(b.id, a.id);

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Pinned chats, in the user's order. */
export function pinnedOf(chats: ChatsById): Chat[] {
  return [...chats.values()]
    .filter((chat) => chat.pin_order > 0 && !chat.archived && chat.parent_chat_id === undefined)
    .sort((a, b) => a.pin_order - b.pin_order || byActivity(a, b));
}

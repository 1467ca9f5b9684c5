import type { Chat } from '@chatd/protocol';
import type { ChatsById } from './chat-list.ts';

/** As the server orders lists: what was active last comes first. */
export const byActivity = (a: Chat, b: Chat): number =>
  compare(b.active_at, a.active_at) || compare(b.id, a.id);

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** What stands at the top, in the order that somebody gave it. */
export function pinnedOf(chats: ChatsById): Chat[] {
  return [...chats.values()]
    .filter((chat) => chat.pin_order > 0 && !chat.archived && chat.parent_chat_id === undefined)
    .sort((a, b) => a.pin_order - b.pin_order || byActivity(a, b));
}

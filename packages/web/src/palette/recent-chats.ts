import type { Chat } from '@chatd/protocol';
import type { ChatsById } from '../state/chats/chat-list.ts';
import { byActivity } from '../state/chats/list-order.ts';

const MOST = 6;

const asks = ({ status }: Chat) => status === 'requires_action';

/** Chats that need input first, then by last activity, without the open one. */
export function recentChats(chats: ChatsById, path: string): readonly string[] {
  return [...chats.values()]
    .filter((chat) => !chat.archived && !path.startsWith(`/chats/${chat.id}`))
    .filter((chat) => chat.parent_chat_id === undefined || asks(chat))
    .sort((a, b) => Number(asks(b)) - Number(asks(a)) || byActivity(a, b))
    .slice(0, MOST)
    .map(({ id }) => id);
}

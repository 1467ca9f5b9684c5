import type { Chat } from '@chatd/protocol';
import type { ChatsById } from '../state/chats/chat-list.ts';
import { byActivity } from '../state/chats/list-order.ts';

const MOST = 6;

const asks = ({ status }: Chat) => status === 'requires_action';

/** Where somebody may want to go next: what asks for them, then what was active last. Not where they are. */
export function recentChats(chats: ChatsById, path: string): readonly string[] {
  return [...chats.values()]
    .filter((chat) => !chat.archived && !path.startsWith(`/chats/${chat.id}`))
    .filter((chat) => chat.parent_chat_id === undefined || asks(chat))
    .sort((a, b) => Number(asks(b)) - Number(asks(a)) || byActivity(a, b))
    .slice(0, MOST)
    .map(({ id }) => id);
}

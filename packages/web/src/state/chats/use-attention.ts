import type { Chat } from '@chatd/protocol';
import { useEffect } from 'react';
import { attention } from '../page-title.ts';
import { pageVisible } from '../visibility.ts';
import { useChatList } from './use-chat-list.ts';

/** Counts chats that need attention in the tab title while the page is hidden. */
export function useAttention(): void {
  const { chats } = useChatList();
  useEffect(() => {
    let left: string | null = null;
    const count = () => {
      if (pageVisible.get()) return attention.set(0);
      const since = left;
      const calling = [...chats.get().values()].filter((chat) => calls(chat, since));
      attention.set(calling.length);
    };
    const look = () => {
      left = pageVisible.get() ? null : new Date().toISOString();
      count();
    };
    look();
    const stops = [chats.subscribe(count), pageVisible.subscribe(look)];
    return () => {
      for (const stop of stops) stop();
      attention.set(0);
    };
  }, [chats]);
}

/** The chat needs input, or has ended since the page was hidden. */
function calls(chat: Chat, since: string | null): boolean {
  if (chat.archived) return false;
  if (chat.status === 'requires_action') return true;
  const ended = chat.status === 'waiting' || chat.status === 'error';
  const isNews = since !== null && chat.active_at >= since && chat.parent_chat_id === undefined;
  return ended && isNews && (chat.has_unread || chat.status === 'error');
}

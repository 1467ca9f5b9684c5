import { useEffect } from 'react';
import { useRoute } from 'wouter';
import { useChat, useChatList } from '../state/chats/use-chat-list.ts';
import type { SidebarView } from './sidebar-view.ts';

/**
 * Expands the ancestors of an opened subagent. Also loads the subagents of any opened chat, because the list does not
 * include those of older chats.
 */
export function useOpenAncestors(view: SidebarView): void {
  const list = useChatList();
  const [, match] = useRoute('/chats/:id/*?');
  const chat = useChat(match?.id ?? '');
  const id = chat?.id;
  const parentId = chat?.parent_chat_id;
  useEffect(() => {
    if (id !== undefined) void list.loadAgents(id);
  }, [list, id]);
  useEffect(() => {
    const left = new AbortController();
    const unfold = async (chatId: string): Promise<void> => {
      if (left.signal.aborted) return;
      view.unfold(chatId);
      const parent = list.chats.get().get(chatId) ?? (await list.load(chatId));
      if (parent.parent_chat_id !== undefined) await unfold(parent.parent_chat_id);
    };
    // A chat that cannot be loaded has no row.
    if (parentId !== undefined) unfold(parentId).catch(() => undefined);
    return () => left.abort();
  }, [list, view, parentId]);
}

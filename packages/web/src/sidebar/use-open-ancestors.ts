import { useEffect } from 'react';
import { useRoute } from 'wouter';
import { useChat, useChatList } from '../state/chats/use-chat-list.ts';
import type { SidebarView } from './sidebar-view.ts';

/**
 * The row of a subagent that is opened is seen: all that it is under is unfolded. And of any chat that is opened, the
 * list learns whether it has subagents, since nothing else tells that of older ones.
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
    // What cannot be loaded has no row either.
    if (parentId !== undefined) unfold(parentId).catch(() => undefined);
    return () => left.abort();
  }, [list, view, parentId]);
}

import type { Chat } from '@chatd/protocol';
import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { ChatList } from './chat-list.ts';

const Context = createContext<ChatList | null>(null);

export const ChatListProvider = Context.Provider;

export function useChatList(): ChatList {
  const list = useContext(Context);
  if (list === null) throw new Error('Only somebody who is signed in has a list of chats.');
  return list;
}

/** One chat of the list; what happens to others renders nothing. */
export function useChat(chatId: string): Chat | undefined {
  const { chats } = useChatList();
  const get = useCallback(() => chats.get().get(chatId), [chats, chatId]);
  return useSyncExternalStore(chats.subscribe, get, get);
}

import type { Chat } from '@chatd/protocol';
import { createContext, useContext, useMemo } from 'react';
import { useCalmCell } from '../cell.ts';
import type { ChatList } from './chat-list.ts';

const Context = createContext<ChatList | null>(null);

export const ChatListProvider = Context.Provider;

export function useChatList(): ChatList {
  const list = useContext(Context);
  if (list === null) throw new Error('Only somebody who is signed in has a list of chats.');
  return list;
}

/** One chat of the list; what happens to others renders nothing. */
export const useChat = (chatId: string): Chat | undefined => useOfChat(chatId, whole);

const whole = (chat: Chat | undefined) => chat;

/**
 * One fact about a chat: whoever needs only that is not drawn again for the others. `fact` is a constant, and what it
 * answers is compared by identity.
 */
export function useOfChat<T>(chatId: string, fact: (chat: Chat | undefined) => T): T {
  const { chats } = useChatList();
  const cell = useMemo(
    () => ({ get: () => fact(chats.get().get(chatId)), subscribe: chats.subscribe }),
    [chats, chatId, fact],
  );
  return useCalmCell(cell);
}

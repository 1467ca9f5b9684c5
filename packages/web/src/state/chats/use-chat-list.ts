import type { Chat } from '@chatd/protocol';
import { createContext, useContext, useMemo } from 'react';
import { useDeferredCell } from '../cell.ts';
import type { ChatList } from './chat-list.ts';

const Context = createContext<ChatList | null>(null);

export const ChatListProvider = Context.Provider;

export function useChatList(): ChatList {
  const list = useContext(Context);
  if (list === null) throw new Error('The chat list requires a signed-in user.');
  return list;
}

/** Renders only when this chat changes. */
export const useChat = (chatId: string): Chat | undefined => useChatProperty(chatId, whole);

const whole = (chat: Chat | undefined) => chat;

/**
 * One property of a chat; renders only when it changes. `fact` must be a stable function, and its results are compared
 * by identity.
 */
export function useChatProperty<T>(chatId: string, fact: (chat: Chat | undefined) => T): T {
  const { chats } = useChatList();
  const cell = useMemo(
    () => ({ get: () => fact(chats.get().get(chatId)), subscribe: chats.subscribe }),
    [chats, chatId, fact],
  );
  return useDeferredCell(cell);
}

import { createContext, useContext } from 'react';
import type { ChatList } from './chat-list.ts';

const Context = createContext<ChatList | null>(null);

export const ChatListProvider = Context.Provider;

export function useChatList(): ChatList {
  const list = useContext(Context);
  if (list === null) throw new Error('Only somebody who is signed in has a list of chats.');
  return list;
}

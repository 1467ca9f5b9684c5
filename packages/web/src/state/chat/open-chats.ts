import { useEffect, useState } from 'react';
import { ChatStore } from './chat-store.ts';

/** The store of the chat that is shown; it ends when another is. */
export function useChatStore(chatId: string): ChatStore | undefined {
  const [store, setStore] = useState<ChatStore>();
  useEffect(() => {
    const opened = new ChatStore(chatId);
    setStore(opened);
    return () => opened.close();
  }, [chatId]);
  return store?.chatId === chatId ? store : undefined;
}

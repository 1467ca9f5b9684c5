import { useEffect, useState } from 'react';
import { ChatStore } from './chat-store.ts';

/** Only the open chat has a store; opening another closes it. */
export function useChatStore(chatId: string): ChatStore | undefined {
  const [store, setStore] = useState<ChatStore>();
  useEffect(() => {
    const opened = new ChatStore(chatId);
    setStore(opened);
    return () => opened.close();
  }, [chatId]);
  return store?.chatId === chatId ? store : undefined;
}

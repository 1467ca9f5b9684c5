import { useEffect } from 'react';
import { client, link } from '../../api/client.ts';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';

/** Loads the versions of the open chat, and again after each change of its history. */
export function useVersions(store: ChatStore): void {
  const loaded = useCell(store.loaded);
  const resets = useCell(store.resets);
  useEffect(() => {
    if (!loaded || link !== undefined) return;
    const leaving = new AbortController();
    void load(store, leaving.signal);
    return () => leaving.abort();
  }, [store, loaded, resets]);
}

async function load({ chatId, versions }: ChatStore, signal: AbortSignal): Promise<void> {
  try {
    const { branches } = await client.call('listVersions', {
      params: { chat_id: chatId },
      signal,
    });
    if (!signal.aborted) versions.set(branches);
  } catch {
    // The chat is usable without its versions, and the connection notice reports an outage.
  }
}

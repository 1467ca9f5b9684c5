import { useEffect } from 'react';
import { client, link } from '../../api/client.ts';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { whenReachable } from '../../state/when-reachable.ts';

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

/** The chat is usable without its versions, and the connection notice reports an outage. */
async function load({ chatId, versions }: ChatStore, signal: AbortSignal): Promise<void> {
  const found = await whenReachable(signal, () =>
    client.call('listVersions', { params: { chat_id: chatId }, signal }),
  );
  if (found !== undefined) versions.set(found.branches);
}

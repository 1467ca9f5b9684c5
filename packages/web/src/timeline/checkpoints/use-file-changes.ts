import type { Chat } from '@chatd/protocol';
import { fileChanges } from '@chatd/protocol/presentation';
import { useEffect, useSyncExternalStore } from 'react';
import { client, link } from '../../api/client.ts';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { useChatProperty } from '../../state/chats/use-chat-list.ts';
import { whenReachable } from '../../state/when-reachable.ts';

/** The newest ones. Earlier turns are shown without their changes. */
const MOST = 200;

/** Loads what the turns of the open chat changed, and again after each turn, also one that this page has not seen run. */
export function useFileChanges(store: ChatStore): void {
  const loaded = useCell(store.loaded);
  const resets = useCell(store.resets);
  const status = useCell(store.status);
  const workspaceId = useChatProperty(store.chatId, workspaceOf);
  const idle = status === 'waiting' || status === 'error';
  const newest = useSyncExternalStore(store.messages.subscribe, () =>
    idle ? store.messages.get().at(-1)?.id : undefined,
  );
  useEffect(() => {
    if (!loaded || newest === undefined || workspaceId === undefined || link !== undefined) return;
    const leaving = new AbortController();
    void loadFileChanges(store, leaving.signal);
    return () => leaving.abort();
  }, [store, loaded, resets, newest, workspaceId]);
}

const workspaceOf = (chat: Chat | undefined) => chat?.workspace_id ?? undefined;

/** The chat is usable without them, and the connection notice reports an outage. */
export async function loadFileChanges(
  { chatId, fileChanges: shown }: ChatStore,
  signal = new AbortController().signal,
): Promise<void> {
  const list = await whenReachable(signal, () =>
    client.call('listCheckpoints', {
      params: { chat_id: chatId },
      query: { limit: MOST },
      signal,
    }),
  );
  if (list !== undefined) shown.set(fileChanges(list.checkpoints));
}

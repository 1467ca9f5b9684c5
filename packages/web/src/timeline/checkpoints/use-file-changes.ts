import type { Chat } from '@chatd/protocol';
import { fileChanges } from '@chatd/protocol/presentation';
import { useEffect } from 'react';
import { client, link } from '../../api/client.ts';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { useChatProperty } from '../../state/chats/use-chat-list.ts';

/** The newest ones. Earlier turns are shown without their changes. */
const MOST = 200;

/** Loads what the turns of the open chat changed, and again after each turn. */
export function useFileChanges(store: ChatStore): void {
  const loaded = useCell(store.loaded);
  const resets = useCell(store.resets);
  const status = useCell(store.status);
  const workspaceId = useChatProperty(store.chatId, workspaceOf);
  const idle = status === 'waiting' || status === 'error';
  useEffect(() => {
    if (!loaded || !idle || workspaceId === undefined || link !== undefined) return;
    const leaving = new AbortController();
    void loadFileChanges(store, leaving.signal);
    return () => leaving.abort();
  }, [store, loaded, resets, idle, workspaceId]);
}

const workspaceOf = (chat: Chat | undefined) => chat?.workspace_id ?? undefined;

export async function loadFileChanges(
  { chatId, fileChanges: shown }: ChatStore,
  signal?: AbortSignal,
): Promise<void> {
  try {
    const { checkpoints } = await client.call('listCheckpoints', {
      params: { chat_id: chatId },
      query: { limit: MOST },
      ...(signal && { signal }),
    });
    if (signal?.aborted !== true) shown.set(fileChanges(checkpoints));
  } catch {
    // The chat is usable without them, and the connection notice reports an outage.
  }
}

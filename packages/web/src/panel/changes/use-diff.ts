import type { WorkspaceDiff } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiQuery } from '../../api/queries.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { pageVisible } from '../../state/visibility.ts';

/** The minimum interval between refreshes while an agent works. */
const AGAIN_MS = 2000;

export interface Diff {
  readonly diff: WorkspaceDiff | undefined;
  readonly error: Error | null;
  readonly busy: boolean;
  readonly refresh: () => void;
}

/** The diff of a chat's workspace, kept current while it is shown. */
export function useDiff(chatId: string, store: ChatStore): Diff {
  const { data, error, isFetching, refetch } = useQuery({
    ...apiQuery('getChatDiff', { params: { chat_id: chatId } }),
    staleTime: AGAIN_MS,
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      if (!pageVisible.get()) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void refetch();
      }, AGAIN_MS);
    };
    const stops = [store.messages, store.status, pageVisible].map((cell) => cell.subscribe(soon));
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, [store, refetch]);
  return { diff: data, error, busy: isFetching, refresh: () => void refetch() };
}

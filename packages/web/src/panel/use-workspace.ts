import type { Chat, WorkspaceWithLog } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../api/queries.ts';
import { useChat } from '../state/chats/use-chat-list.ts';

/** The stream does not report these changes of state, so they are polled. */
const AGAIN_MS = 2000;

/** Subagents use the workspace of their root chat. */
export function useWorkspaceId(chat: Chat): string | undefined {
  const root = useChat(chat.root_chat_id ?? chat.id);
  return chat.workspace_id ?? root?.workspace_id ?? undefined;
}

export interface WorkspaceLook {
  readonly workspace: WorkspaceWithLog | undefined;
  readonly error: Error | null;
  readonly refresh: () => void;
}

export function useWorkspace(id: string | undefined): WorkspaceLook {
  const { data, error, refetch } = useQuery({
    ...apiQuery('getWorkspace', { params: { workspace_id: id ?? '' } }),
    enabled: id !== undefined,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.status === 'creating' ? AGAIN_MS : 15_000),
  });
  return { workspace: id === undefined ? undefined : data, error, refresh: () => void refetch() };
}

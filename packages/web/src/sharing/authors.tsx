import type { Participant } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { client } from '../api/client.ts';
import { session } from '../api/session.ts';
import { useCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';

/** Names by user. Null: only the user writes in the chat. */
type Authors = ReadonlyMap<string, string> | null;

const Context = createContext<Authors>(null);

const NONE: readonly Participant[] = [];

/** Names the authors of messages once someone else than the user has written one. */
export function AuthorsProvider({
  store,
  children,
}: {
  readonly store: ChatStore;
  readonly children: ReactNode;
}) {
  const authors = useCell(store.authors);
  const me = useCell(session.state);
  const ownId = me.kind === 'signed-in' ? me.user.id : undefined;
  const isShared = authors.some((id) => id !== ownId);
  const { data } = useQuery({
    // Again with each new author.
    queryKey: ['listParticipants', store.chatId, authors],
    queryFn: ({ signal }) =>
      client.call('listParticipants', { params: { chat_id: store.chatId }, signal }),
    enabled: isShared,
  });
  const participants = data?.participants ?? NONE;
  const names = useMemo((): Authors => {
    if (!isShared) return null;
    const known = new Map(participants.map(({ user_id, username }) => [user_id, username]));
    return ownId === undefined ? known : known.set(ownId, 'You');
  }, [isShared, participants, ownId]);
  return <Context.Provider value={names}>{children}</Context.Provider>;
}

/** Undefined: not shown, because only the user writes. */
export function useAuthor(userId: string | undefined): string | undefined {
  const names = useContext(Context);
  return userId === undefined ? undefined : names?.get(userId);
}

/** Whether someone else than the user has written a message. */
export const useHasOtherAuthors = (): boolean => useContext(Context) !== null;

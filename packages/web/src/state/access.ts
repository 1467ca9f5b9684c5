import type { Chat, ChatRole } from '@chatd/protocol';
import { createContext, useContext } from 'react';

/** The role of the user in a chat. */
export type Access = 'owner' | ChatRole;

const Context = createContext<Access>('owner');

/** For everything that shows the open chat. */
export const AccessProvider = Context.Provider;

export const useAccess = (): Access => useContext(Context);

/** Owners and editors. Viewers see nothing that they cannot use. */
export const useCanEdit = (): boolean => useAccess() !== 'viewer';

export const accessTo = ({ role }: Pick<Chat, 'role'>): Access => role ?? 'owner';

/** False: another user shares the chat. */
export const isOwn = ({ role }: Pick<Chat, 'role'>): boolean => role === undefined;

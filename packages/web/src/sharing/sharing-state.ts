import { Cell } from '../state/cell.ts';

/** The chat of the open dialog. */
export const sharedChat = new Cell<string | null>(null);

export const openSharing = (chatId: string): void => sharedChat.set(chatId);

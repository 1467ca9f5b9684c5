import type { Chat } from '@chatd/protocol';
import { Cell } from '../cell.ts';

export interface DeletedChat {
  readonly id: string;
  readonly title: string;
  readonly deletedAt: number;
}

const KEY = 'chatd.deleted-chats';
/** The server's restore period. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Chats deleted in this browser that can be restored, newest first. */
export const deletedChats = new Cell<readonly DeletedChat[]>(read());

export function rememberDeleted({ id, title }: Pick<Chat, 'id' | 'title'>): void {
  write([{ id, title, deletedAt: Date.now() }, ...read()]);
}

export function forgetDeleted(chatId: string): void {
  write(read().filter(({ id }) => id !== chatId));
}

/** Cleared on sign-out. */
export function forgetAllDeleted(): void {
  write([]);
}

function read(): readonly DeletedChat[] {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '[]') as DeletedChat[];
    return stored.filter(({ deletedAt }) => deletedAt > Date.now() - KEPT_MS);
  } catch {
    return [];
  }
}

function write(deleted: readonly DeletedChat[]): void {
  localStorage.setItem(KEY, JSON.stringify(deleted));
  deletedChats.set(deleted);
}

import type { ChatStore } from '../state/chat/chat-store.ts';
import type { Viewport } from './viewport/viewport.ts';

/** Moves to the previous or next user message and focuses it. */
export function jumpToUser(store: ChatStore, viewport: Viewport, by: -1 | 1): void {
  const { rows } = viewport;
  const here = whereReading(viewport);
  const users = rows.flatMap((row, at) => (row.kind === 'user' ? [{ row, at }] : []));
  const found =
    by === -1 ? users.findLast(({ at }) => at < here) : users.find(({ at }) => at > here);
  if (found !== undefined) {
    viewport.toRow(found.row.key);
    focusRow(found.row.key);
  } else if (by === 1) {
    viewport.toEnd();
  } else {
    viewport.toRow('start', 0);
    void store.older.load();
  }
}

/** The focused message; else the end, when scrolled there; else the one at the top. */
function whereReading({ rows, topRow, atEnd }: Viewport): number {
  const key = document.activeElement?.closest('[data-key]')?.getAttribute('data-key');
  const focused = rows.findIndex((row) => row.key === key);
  if (focused !== -1) return focused;
  return atEnd.get() ? rows.length : topRow;
}

/** Once it is rendered. */
function focusRow(key: string): void {
  requestAnimationFrame(() => {
    const row = document.querySelector(`[data-key="${CSS.escape(key)}"] article`);
    if (row instanceof HTMLElement) row.focus({ preventScroll: true });
  });
}

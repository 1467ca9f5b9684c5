import type { ChatStore } from '../state/chat/chat-store.ts';
import type { Viewport } from './viewport/viewport.ts';

/** To the message of the user before or after what is read; it takes the focus, so that keys go on from there. */
export function jumpToUser(store: ChatStore, viewport: Viewport, by: -1 | 1): void {
  const { rows, topRow } = viewport;
  const top = rows[topRow];
  const users = rows.flatMap((row, at) => (row.kind === 'user' ? [{ row, at }] : []));
  const found =
    by === -1
      ? users.findLast(({ at }) => at < topRow)
      : users.find(({ at }) => at > topRow || (at === topRow && top?.kind !== 'user'));
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

/** When it has been drawn. */
export function focusRow(key: string): void {
  requestAnimationFrame(() => {
    const row = document.querySelector(`[data-key="${CSS.escape(key)}"] article`);
    if (row instanceof HTMLElement) row.focus({ preventScroll: true });
  });
}

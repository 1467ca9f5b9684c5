import type { ChatStore } from '../state/chat/chat-store.ts';
import type { Viewport } from './viewport/viewport.ts';

/** The command that scrolls to the first card that asks. */
export const GO_TO_REQUEST = 'timeline-request';

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

/** Moves to the first card that waits for the user and focuses its first control. */
export function jumpToRequest(store: ChatStore, viewport: Viewport): void {
  const asked = store.awaited.get().find(({ kind }) => kind !== 'dynamic');
  const row = viewport.rows.find(
    (one) => one.kind === 'tool' && one.callId === asked?.tool_call_id,
  );
  if (row === undefined) return;
  viewport.toRow(row.key, 80);
  focusIn(row.key, 'input, textarea, button:not([aria-expanded])');
}

/** The focused message; else the end, when scrolled there; else the one at the top. */
function whereReading({ rows, topRow, atEnd }: Viewport): number {
  const key = document.activeElement?.closest('[data-key]')?.getAttribute('data-key');
  const focused = rows.findIndex((row) => row.key === key);
  if (focused !== -1) return focused;
  return atEnd.get() ? rows.length : topRow;
}

const focusRow = (key: string): void => focusIn(key, 'article');

/** Once the row is rendered. */
function focusIn(key: string, selector: string): void {
  requestAnimationFrame(() => {
    const row = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    const target = row?.querySelector(selector);
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  });
}

import { useEffect } from 'react';
import { Cell } from './cell.ts';

const NAME = 'chatd';
const ATTENTION_ICON = new URL('./icon-attention.svg', import.meta.url).href;

const title = new Cell<string | null>(null);
/** The number of chats that need attention while the page is hidden. */
export const attention = new Cell(0);

function show(): void {
  const count = attention.get();
  const page = title.get();
  const text = page === null ? NAME : `${page} · ${NAME}`;
  document.title = count === 0 ? text : `(${count}) ${text}`;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon !== null) icon.href = count === 0 ? '/icon.svg' : ATTENTION_ICON;
}

title.subscribe(show);
attention.subscribe(show);

/** Sets the browser tab's title while a page is shown. */
export function usePageTitle(page: string | undefined): void {
  useEffect(() => {
    if (page === undefined) return;
    title.set(page);
    return () => title.set(null);
  }, [page]);
}

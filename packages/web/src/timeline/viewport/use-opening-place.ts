import { useEffect, useEffectEvent } from 'react';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { linkedMessage } from '../../state/message-link.ts';
import { LIVE } from '../rows/row.ts';
import { cameBack, type ReadingPlace, readingPlaces } from './reading-places.ts';
import type { Viewport } from './viewport.ts';
import { toast } from '../../ui/toast.ts';

const MARKED_MS = 2000;

interface Open {
  readonly chatId: string;
  readonly store: ChatStore;
  readonly viewport: Viewport;
}

/** Opens a chat at its end, at the message that the address names, or, with Back, where the user left it. */
export function useOpeningPlace({ chatId, store, viewport }: Open): void {
  const loaded = useCell(store.loaded);
  const arrive = useEffectEvent(() => {
    const place = cameBack() ? readingPlaces.get(chatId) : undefined;
    const linked = linkedMessage(chatId);
    if (place !== undefined) void returnTo(place, store, viewport);
    else if (linked !== undefined) void goToMessage(linked, store, viewport);
  });
  useEffect(() => {
    if (loaded) arrive();
  }, [loaded]);
  useEffect(() => {
    // Another message of the same chat, or the same one again.
    addEventListener('pushState', arrive);
    return () => removeEventListener('pushState', arrive);
  }, []);
  useEffect(
    () => () => {
      const { place } = viewport;
      if (place === undefined) readingPlaces.delete(chatId);
      else readingPlaces.set(chatId, place);
    },
    [chatId, viewport],
  );
}

async function returnTo(place: ReadingPlace, store: ChatStore, viewport: Viewport): Promise<void> {
  await rowsOf(place.messageId, store);
  viewport.toPlace(place);
}

async function goToMessage(id: number, store: ChatStore, viewport: Viewport): Promise<void> {
  await rowsOf(id, store);
  if (!store.messages.get().some((message) => message.id === id)) {
    const older = store.older.state.get();
    if (older.kind === 'failed') {
      toast.error(`The message could not be loaded. ${older.reason}`);
    } else if (older.kind !== 'unknown') {
      // Otherwise the chat was closed meanwhile.
      toast.error('This message is not part of the current version of the chat.');
    }
    return;
  }
  // A tool message has no row: its results are in the rows of the message before it.
  const at = viewport.rows.findLast(
    ({ messageId, kind }) => messageId <= id && messageId !== LIVE && kind !== 'turn-end',
  );
  const row = viewport.rows.find(
    ({ messageId, kind }) => messageId === at?.messageId && kind !== 'day',
  );
  if (row === undefined) return;
  viewport.toRow(row.key, 80);
  requestAnimationFrame(() => mark(row.key));
}

/** Loads messages back to this one, and waits for their rows. */
async function rowsOf(id: number, { older }: ChatStore): Promise<void> {
  await older.loadTo(id);
  await new Promise(requestAnimationFrame);
}

function mark(key: string): void {
  const row = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  const message = row?.querySelector<HTMLElement>('article');
  // The focus marks a user message. An answer cannot be focused.
  if (message !== null && message !== undefined) return message.focus({ preventScroll: true });
  row?.setAttribute('data-linked', '');
  setTimeout(() => row?.removeAttribute('data-linked'), MARKED_MS);
}

import { type DragEvent, useMemo, useState } from 'react';
import { useChatActions } from '../state/chats/chat-actions.ts';
import { type Drop, dropOn } from './pin-drop.ts';
import type { ChatRow, Row } from './rows/rows.ts';

const CHAT_TYPE = 'application/x-chatd-chat';

/** Drag and drop for pinned chats. Keys and menus offer the same actions. */
export function usePinDrag(rows: readonly Row[]) {
  const actions = useChatActions();
  const [dragged, setDragged] = useState<ChatRow>();
  const [drop, setDrop] = useState<Drop>();

  const starts = useMemo(() => {
    const end = () => {
      setDragged(undefined);
      setDrop(undefined);
    };
    const start = (row: ChatRow, data: DataTransfer) => {
      // Elsewhere the row drags as a link.
      if (row.depth > 0 || row.chat.archived || row.section === 'found') return;
      data.setData(CHAT_TYPE, row.key);
      data.effectAllowed = 'all';
      setDragged(row);
    };
    return { start, end };
  }, []);

  const dropAt = (row: Row, { currentTarget, clientY }: DragEvent): Drop | undefined => {
    if (dragged === undefined) return undefined;
    const { top, height } = currentTarget.getBoundingClientRect();
    return dropOn(rows, dragged, row, clientY > top + height / 2);
  };

  const over = (row: Row) => (event: DragEvent) => {
    if (dragged === undefined) return;
    const next = dropAt(row, event);
    if (next !== undefined) event.preventDefault();
    setDrop(next);
  };

  const land = (landing: Drop | undefined) => {
    if (dragged === undefined || landing === undefined) return;
    if (landing.to === 'project') {
      // A pinned chat is shown there only when it is unpinned.
      if (dragged.section === 'pinned') void actions.unpin(dragged.chat);
      if (landing.id !== (dragged.chat.project_id ?? null)) {
        void actions.moveToProject(dragged.chat, landing.id);
      }
    } else if (landing.to === 'unpin') void actions.unpin(dragged.chat);
    else void actions.pin(dragged.chat, landing.place);
    starts.end();
  };

  return {
    ...starts,
    over,
    dragged,
    line: drop?.to === 'pin' ? drop.line : null,
    /** The row of the project that the chat would move to. */
    target: drop?.to === 'project' ? drop.row : undefined,
    /** Uses the current pointer position: the rendered one may be one event behind. */
    drop: (row: Row) => (event: DragEvent) => {
      event.preventDefault();
      land(dropAt(row, event));
    },
    /** The zone pins at the end of the pinned chats, or unpins. */
    dropOnZone: () => {
      const isPinned = dragged?.section === 'pinned';
      land(isPinned ? { to: 'unpin' } : { to: 'pin', place: rows.length, line: null });
    },
  };
}

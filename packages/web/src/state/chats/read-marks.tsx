import type { Chat } from '@chatd/protocol';
import { useEffect, useRef } from 'react';
import { client } from '../../api/client.ts';
import { useCell } from '../cell.ts';
import type { ChatStore } from '../chat/chat-store.ts';
import { pageVisible } from '../visibility.ts';

/**
 * Tells the server what was read: once the turn rests and somebody looks, and when they go away from a turn that does
 * not. Not with every step: nobody needs to know that.
 */
export function ReadMarks({ chat, store }: { readonly chat: Chat; readonly store: ChatStore }) {
  const visible = useCell(pageVisible);
  const last = useCell(store.messages).at(-1)?.id;
  const state = useRef({ unread: false, seen: undefined as number | undefined, marked: 0 });
  const rests = chat.status !== 'running' && chat.status !== 'interrupting';

  useEffect(() => {
    state.current.unread = chat.has_unread;
    if (visible) state.current.seen = last;
  });
  useEffect(() => {
    if (visible && rests && chat.has_unread) markRead(chat.id, state.current);
  }, [visible, rests, chat.has_unread, chat.id, last]);
  useEffect(() => {
    const marks = state.current;
    return () => {
      if (marks.unread) markRead(chat.id, marks);
    };
  }, [chat.id, visible]);
  return null;
}

function markRead(chatId: string, marks: { seen: number | undefined; marked: number }): void {
  const { seen } = marks;
  if (seen === undefined || seen <= marks.marked) return;
  const before = marks.marked;
  marks.marked = seen;
  client
    .call('markChatRead', { params: { chat_id: chatId }, body: { message_id: seen } })
    // It stays unread, and the next look tries again.
    .catch(() => (marks.marked = before));
}

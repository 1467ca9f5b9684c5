import type { Chat } from '@chatd/protocol';
import { useEffect, useRef } from 'react';
import { client } from '../../api/client.ts';
import { useCell } from '../cell.ts';
import type { ChatStore } from '../chat/chat-store.ts';
import { pageVisible } from '../visibility.ts';

/**
 * Marks a chat as read when its turn has ended while the user is looking, and when the user leaves during a turn. Not
 * on every step.
 */
export function ReadMarks({ chat, store }: { readonly chat: Chat; readonly store: ChatStore }) {
  const visible = useCell(pageVisible);
  const last = useCell(store.messages).at(-1)?.id;
  const state = useRef({ unread: false, seen: undefined as number | undefined, marked: 0 });
  const rests = chat.status !== 'running' && chat.status !== 'interrupting';

  useEffect(() => {
    state.current.unread = chat.has_unread;
    // A failure makes the chat unread again without a new message.
    if (!chat.has_unread) state.current.marked = 0;
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
    // It stays unread; the next visit tries again.
    .catch(() => (marks.marked = before));
}

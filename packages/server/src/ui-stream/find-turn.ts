import type { MessageRow } from '../chat/row.ts';
import { messagesBefore } from '../store/queries/messages/read.ts';
import type { Queryable } from '../store/statement.ts';

const PAGE = 100;

/** The message that began the newest turn. A message after tool results steered its turn instead. */
export async function findTurn(db: Queryable, chatId: string): Promise<MessageRow | undefined> {
  let candidate: MessageRow | undefined;
  let before: number | null = null;
  for (;;) {
    const page: readonly MessageRow[] = await db.query(messagesBefore, {
      chat_id: chatId,
      before_id: before,
      limit: PAGE,
    });
    for (const message of page) {
      if (candidate !== undefined && message.role !== 'tool') return candidate;
      candidate = message.role === 'user' ? message : undefined;
    }
    if (page.length < PAGE) return candidate;
    before = page.at(-1)?.id ?? null;
  }
}

/** The messages that began turns, oldest first, within a limit. */
export async function beginnings(db: Queryable, chatId: string): Promise<MessageRow[]> {
  const found: MessageRow[] = [];
  let before: number | null = null;
  let candidate: MessageRow | undefined;
  for (;;) {
    const page: readonly MessageRow[] = await db.query(messagesBefore, {
      chat_id: chatId,
      before_id: before,
      limit: PAGE,
    });
    for (const message of page) {
      if (candidate !== undefined && message.role !== 'tool') found.unshift(candidate);
      candidate = message.role === 'user' ? message : undefined;
    }
    if (page.length < PAGE) break;
    before = page.at(-1)?.id ?? null;
  }
  if (candidate !== undefined) found.unshift(candidate);
  return found;
}

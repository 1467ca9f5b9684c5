import type { MessageRow } from '../chat/row.ts';
import { messagesAfter } from '../store/queries/messages/read.ts';
import type { Queryable } from '../store/statement.ts';

const PAGE = 100;

/** The messages of a chat after one, up to and including `last`, in pages. */
export async function* messagePages(
  db: Queryable,
  chatId: string,
  { after, last }: { readonly after: number; readonly last?: number },
): AsyncGenerator<readonly MessageRow[]> {
  for (let from = after; ;) {
    const page: readonly MessageRow[] = await db.query(messagesAfter, {
      chat_id: chatId,
      after_id: from,
      before_id: last === undefined ? null : last + 1,
      limit: PAGE,
    });
    yield page;
    if (page.length < PAGE) return;
    from = page.at(-1)?.id ?? from;
  }
}

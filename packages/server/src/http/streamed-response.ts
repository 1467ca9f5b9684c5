import { turnStart } from '../store/queries/messages/turn-start.ts';
import type { Queryable } from '../store/statement.ts';
import type { TurnStart } from '../stream/streams.ts';

/** The response of a streamed route: a created chat, or a message that was sent or queued. */
interface ResponseBody {
  readonly id?: string;
  readonly message?: { readonly id: number };
  readonly queued_message?: { readonly id: number };
}

/** Where the stream starts if only the response is known: the message is queued, or the response is a stored one. */
export async function findTurnStart(
  db: Queryable,
  { chat_id }: { readonly chat_id?: string },
  response: string,
): Promise<TurnStart> {
  const { id = '', message, queued_message } = JSON.parse(response) as ResponseBody;
  const queued_id = queued_message?.id ?? null;
  const [row] = await db.query(turnStart, {
    chat_id: chat_id ?? id,
    message_id: message?.id ?? (queued_id === null ? 0 : null),
    queued_id,
  });
  if (row !== undefined) return { chat: row, after: row.after };
  // The chat has been purged since. The stream finds out and ends.
  return { chat: { id: chat_id ?? id, snapshot_version: 0, reset_version: 0 }, after: 0 };
}

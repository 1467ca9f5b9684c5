import type { ChatRow, LockedChat, MessageRow } from '../../chat/row.ts';
import type { Branch, NewMessage } from '../../chat/writes.ts';
import { toJson } from '../json.ts';
import {
  beginVersion,
  indexAfter,
  nameCurrentVersion,
  restoreVersion,
  storeVersion,
} from '../queries/messages/versions.ts';
import { dropMessagesAfter, replaceMessage } from '../queries/messages/write.ts';
import { onlyRow, type Queryable } from '../statement.ts';

interface Branched {
  readonly edited: MessageRow | null;
  /** The ids of the messages that left the history. */
  readonly dropped: readonly number[];
}

/** Performs a branch. The statements depend on each other, and are sent in order without waiting. */
export async function writeBranch(
  tx: Queryable,
  before: LockedChat,
  next: ChatRow,
  { after, edit, restore }: Branch,
): Promise<Branched> {
  const chat_id = next.id;
  const point = { chat_id, after_id: after.id, after_revision: after.revision };
  const busy = before.status !== 'waiting' && before.status !== 'error';
  const [, , dropped, edited] = await Promise.all([
    tx.query(nameCurrentVersion, point),
    tx.query(storeVersion, {
      ...point,
      open_calls: toJson(before.open_calls),
      interrupted: before.interrupted || busy,
      even_empty: restore !== undefined,
    }),
    tx.query(dropMessagesAfter, { chat_id, message_id: edit?.message_id ?? after.id }),
    edit &&
      tx.query(replaceMessage, {
        chat_id,
        id: edit.message_id,
        revision: next.snapshot_version,
        content: toJson(edit.message.content),
        created_by: edit.message.created_by ?? null,
        model_config_id: edit.message.model_config_id ?? null,
        author: authorOf(edit.message),
      }),
    restore === undefined
      ? tx.query(beginVersion, point)
      : tx.query(restoreVersion, { chat_id, version_id: restore }),
    restore !== undefined && tx.query(indexAfter, point),
  ]);
  return {
    edited: edited === undefined ? null : onlyRow(edited),
    // Clients never saw hidden messages.
    dropped: dropped.filter(({ hidden }) => !hidden).map(({ id }) => id),
  };
}

const authorOf = ({ meta }: NewMessage): string | null =>
  (meta as { readonly author?: string } | undefined)?.author ?? null;

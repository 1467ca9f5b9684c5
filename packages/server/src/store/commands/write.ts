import { queueChanges } from '../../chat/queue-positions.ts';
import type { ChatRow, LockedChat, MessageRow, QueuedRow } from '../../chat/row.ts';
import type { NewMessage, Writes } from '../../chat/writes.ts';
import { bookCall } from '../accounting/book-call.ts';
import { toJson } from '../json.ts';
import { writeChat, writeChatProperties } from '../queries/chats/write.ts';
import { messageRecords } from '../queries/messages/records.ts';
import { dropMessagesAfter, replaceMessage } from '../queries/messages/write.ts';
import { editQueued, insertQueued, moveQueued, removeQueued } from '../queries/queued-messages.ts';
import { onlyRow, type Queryable } from '../statement.ts';

/** What a transition has written. */
export interface Written {
  readonly chat: ChatRow;
  /** Messages that entered the history, in order. */
  readonly messages: readonly MessageRow[];
  /** The message that was edited, and what was dropped after it. */
  readonly edited: MessageRow | null;
  readonly dropped: readonly number[];
  /** The entry that was added to the queue, or changed in it. */
  readonly queued: QueuedRow | null;
}

/**
 * Performs a plan. Statements are sent without waiting for each other's answers; the caller holds the chat's
 * lock and commits behind them.
 */
export async function write(
  tx: Queryable,
  before: LockedChat,
  next: ChatRow,
  writes: Writes,
): Promise<Written> {
  const [state, , edited, dropped, queued] = await Promise.all([
    writeState(tx, next, writes),
    writes.properties && writeProperties(tx, next),
    writes.edit && replace(tx, next, writes.edit),
    writes.edit && tx.query(dropMessagesAfter, [next.id, writes.edit.message_id]),
    writeQueue(tx, before, writes),
    writes.call && bookCall(tx, next, writes.call),
  ]);
  return {
    ...state,
    edited: edited ?? null,
    dropped: (dropped ?? []).filter((row) => !row.hidden).map((row) => row.id),
    queued,
  };
}

async function writeState(
  tx: Queryable,
  next: ChatRow,
  writes: Writes,
): Promise<Pick<Written, 'chat' | 'messages'>> {
  const { episode, messages = [] } = writes;
  const records = messageRecords(messages);
  const rows = await tx.query(writeChat, [
    next.id,
    next.status,
    next.archived,
    next.queue_length,
    next.snapshot_version,
    next.history_version,
    next.queue_version,
    next.retry_version,
    next.reset_version,
    next.attempt,
    next.runner_id,
    next.worker_id,
    toJson(next.open_calls),
    next.compaction_requested,
    json(next.retry),
    json(next.last_error),
    next.queued_for_capacity,
    next.reply_version,
    writes.active === true,
    writes.actionTimeoutMs !== undefined,
    writes.actionTimeoutMs ?? null,
    writes.deleted !== undefined,
    writes.deleted ?? null,
    next.model_config_id,
    next.reasoning_effort,
    next.read_version,
    episode?.history_version ?? null,
    episode?.attempt ?? null,
    episode?.runner_id ?? null,
    records.json,
    next.interrupted,
  ]);
  const { updated_at, active_at, action_deadline, deleted_at } = onlyRow(rows.slice(0, 1));
  const added = rows.flatMap(({ message_id: id, message_created_at: created_at }) =>
    id === null || created_at === null ? [] : [{ id, created_at }],
  );
  return {
    chat: { ...next, updated_at, active_at, action_deadline, deleted_at },
    messages: asRows(next.id, next.snapshot_version, records.messages, added),
  };
}

const json = (value: unknown) => (value === null ? null : toJson(value));

async function writeProperties(tx: Queryable, next: ChatRow): Promise<void> {
  await tx.query(writeChatProperties, [
    next.id,
    next.title,
    toJson(next.labels),
    next.pin_order,
    next.plan_mode,
    toJson(next.dynamic_tools),
    next.workspace_id,
    next.title_source,
    next.system_prompt,
    next.mcp_server_ids,
  ]);
}

/** Rows that were just written, without reading them back. */
export function asRows(
  chat_id: string,
  revision: number,
  messages: readonly NewMessage[],
  written: readonly { readonly id: number; readonly created_at: Date }[],
): MessageRow[] {
  return written.map(({ id, created_at }, index) => {
    const message = messages[index];
    if (message === undefined) throw new Error('more messages were written than given');
    return {
      id,
      chat_id,
      role: message.role,
      revision,
      hidden: message.hidden ?? false,
      content: message.content,
      meta: message.meta ?? null,
      created_at,
      created_by: message.created_by ?? null,
      model_config_id: message.model_config_id ?? null,
      usage: message.usage ?? null,
      cost_micros: message.cost_micros ?? null,
      runtime_ms: message.runtime_ms ?? null,
      queued_message_id: message.queued_message_id ?? null,
    };
  });
}

async function replace(tx: Queryable, next: ChatRow, edit: NonNullable<Writes['edit']>) {
  const { message, message_id } = edit;
  return onlyRow(
    await tx.query(replaceMessage, [
      next.id,
      message_id,
      next.snapshot_version,
      toJson(message.content),
      message.created_by ?? null,
      message.model_config_id ?? null,
    ]),
  );
}

async function writeQueue(
  tx: Queryable,
  before: LockedChat,
  writes: Writes,
): Promise<QueuedRow | null> {
  if (writes.queue === undefined) return null;
  const { removed, moved, added } = queueChanges(before.queue, writes.queue);
  const [insertedRows, editedRows] = await Promise.all([
    added &&
      tx.query(insertQueued, [
        before.id,
        added.position,
        added.entry.busy_behavior,
        toJson(added.entry.content),
        added.entry.model_config_id,
        added.entry.reasoning_effort,
        added.entry.created_by,
      ]),
    writes.queuedContent &&
      tx.query(editQueued, [
        before.id,
        writes.queuedContent.id,
        json(writes.queuedContent.content),
        writes.queuedContent.busy_behavior,
      ]),
    removed.length > 0 && tx.query(removeQueued, [before.id, removed]),
    moved.length > 0 &&
      tx.query(moveQueued, [
        before.id,
        moved.map((move) => move.id),
        moved.map((move) => move.position),
      ]),
  ]);
  return insertedRows?.[0] ?? editedRows?.[0] ?? null;
}

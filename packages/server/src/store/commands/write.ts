import { queueChanges } from '../../chat/queue-positions.ts';
import type { ChatRow, LockedChat, MessageRow, QueuedRow } from '../../chat/row.ts';
import type { NewMessage, Writes } from '../../chat/writes.ts';
import { recordCall } from '../accounting/record-call.ts';
import { toJson } from '../json.ts';
import { writeChat, writeChatProperties } from '../queries/chats/write.ts';
import { messageRecords } from '../queries/messages/records.ts';
import { editQueued, insertQueued, moveQueued, removeQueued } from '../queries/queued-messages.ts';
import { onlyRow, type Queryable } from '../statement.ts';
import { writeBranch } from './write-branch.ts';

export interface Written {
  readonly chat: ChatRow;
  /** The new messages of the history, in order. */
  readonly messages: readonly MessageRow[];
  /** The edited message, and the ids of the messages that left the history. */
  readonly edited: MessageRow | null;
  readonly dropped: readonly number[];
  /** The new or changed entry of the queue. */
  readonly queued: QueuedRow | null;
}

export const NOTHING_WRITTEN: Omit<Written, 'chat'> = {
  messages: [],
  edited: null,
  dropped: [],
  queued: null,
};

/**
 * Performs a plan. Sends the statements without waiting for each other. The caller holds the lock of the chat and
 * commits.
 */
export async function write(
  tx: Queryable,
  before: LockedChat,
  next: ChatRow,
  writes: Writes,
): Promise<Written> {
  const [branched, state, , queued] = await Promise.all([
    // First: messages of the plan follow the branch.
    writes.branch && writeBranch(tx, before, next, writes.branch),
    writeState(tx, next, writes),
    writes.properties &&
      tx.query(writeChatProperties, {
        ...next,
        labels: toJson(next.labels),
        dynamic_tools: toJson(next.dynamic_tools),
      }),
    writeQueue(tx, before, writes),
    writes.call && recordCall(tx, next, writes.call),
  ]);
  return {
    ...state,
    edited: branched?.edited ?? null,
    dropped: branched?.dropped ?? [],
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
  const rows = await tx.query(writeChat, {
    ...next,
    open_calls: toJson(next.open_calls),
    retry: json(next.retry),
    last_error: json(next.last_error),
    active: writes.active === true,
    sets_deadline: writes.actionTimeoutMs !== undefined,
    deadline_ms: writes.actionTimeoutMs ?? null,
    sets_deleted: writes.deleted !== undefined,
    deleted: writes.deleted ?? null,
    base_version: episode?.history_version ?? null,
    base_attempt: episode?.attempt ?? null,
    base_runner_id: episode?.runner_id ?? null,
    messages: records.json,
  });
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

/** The rows of new messages, without reading them back. */
export function asRows(
  chat_id: string,
  revision: number,
  messages: readonly NewMessage[],
  written: readonly { readonly id: number; readonly created_at: Date }[],
): MessageRow[] {
  return written.map(({ id, created_at }, index) => {
    const message = messages[index];
    if (message === undefined) throw new Error('More messages were written than given.');
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

async function writeQueue(
  tx: Queryable,
  before: LockedChat,
  writes: Writes,
): Promise<QueuedRow | null> {
  if (writes.queue === undefined) return null;
  const { removed, moved, added } = queueChanges(before.queue, writes.queue);
  const [insertedRows, editedRows] = await Promise.all([
    added &&
      tx.query(insertQueued, {
        chat_id: before.id,
        position: added.position,
        author: null,
        ...added.entry,
        content: toJson(added.entry.content),
      }),
    writes.queuedContent &&
      tx.query(editQueued, {
        created_by: null,
        author: null,
        ...writes.queuedContent,
        chat_id: before.id,
        content: json(writes.queuedContent.content),
      }),
    removed.length > 0 && tx.query(removeQueued, { chat_id: before.id, ids: removed }),
    moved.length > 0 &&
      tx.query(moveQueued, {
        chat_id: before.id,
        ids: moved.map((move) => move.id),
        positions: moved.map((move) => move.position),
      }),
  ]);
  return insertedRows?.[0] ?? editedRows?.[0] ?? null;
}

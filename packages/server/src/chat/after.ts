import { stateOf } from './state.ts';
import { type CommandName, movesFrom } from './moves.ts';
import type { ChatRow, LockedChat } from './row.ts';
import type { Writes } from './writes.ts';

const isEmpty = (writes: Writes) => Object.values(writes).every((value) => value === undefined);

/**
 * The row after a transition. Every transaction that changes a chat takes the next snapshot version, and the versions of
 * the parts that changed take its value. Null: nothing changes.
 */
export function after(chat: LockedChat, writes: Writes): ChatRow | null {
  if (isEmpty(writes)) return null;
  const snapshot_version = chat.snapshot_version + 1;
  const history = (writes.messages?.length ?? 0) > 0 || writes.branch !== undefined;
  // A failed turn is news, too.
  const failed = writes.chat?.status === 'error' && chat.status !== 'error';
  const replied =
    failed || writes.messages?.some((message) => message.role === 'assistant') === true;
  const retry = writes.chat?.retry !== undefined && writes.chat.retry !== chat.retry;
  return {
    ...chat,
    ...writes.chat,
    ...writes.properties,
    snapshot_version,
    ...(history && { history_version: snapshot_version, attempt: 0 }),
    ...(writes.attempt !== undefined && { attempt: writes.attempt }),
    ...(writes.queue && { queue_version: snapshot_version, queue_length: writes.queue.length }),
    ...(retry && { retry_version: snapshot_version }),
    ...(replied && { reply_version: snapshot_version }),
    // A user who branches has read the chat.
    ...(writes.branch && { reset_version: snapshot_version, read_version: snapshot_version }),
  };
}

/** Refuses to commit a plan that leads to a state that the table of moves does not allow: that is a bug. */
export function checkMove(command: CommandName, chat: ChatRow, next: ChatRow): void {
  const targets = movesFrom(stateOf(chat), command);
  const state = stateOf(next);
  if (targets instanceof Error || !targets.includes(state)) {
    throw new Error(`${command} led from ${stateOf(chat)} to ${state}`);
  }
}

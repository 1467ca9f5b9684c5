import type { Chat, WatchEvent } from '@chatd/protocol';
import type { Change } from '../store/change.ts';

export type WatchType = Exclude<WatchEvent['type'], 'snapshot' | 'ping'>;

/** What watchers were last sent about a chat. */
export interface Known {
  readonly version: number;
  readonly history_version: number;
  readonly status: Chat['status'];
  readonly title: string;
  readonly deleted: boolean;
  readonly archived: boolean;
  /** Everything that a list shows. */
  readonly look: string;
}

export function knownFrom(chat: Chat, deleted: boolean): Known {
  const { snapshot_version, history_version, queue_version: _, updated_at: __, ...look } = chat;
  const { status, title, archived } = chat;
  return {
    version: snapshot_version,
    history_version,
    status,
    title,
    deleted,
    archived,
    look: JSON.stringify(look),
  };
}

/** The events for a change. Of the steps of a turn, a list shows only the tool call in progress. */
export function typesOf(
  before: Known | undefined,
  now: Known,
  command: Change['command'] | undefined,
): WatchType[] {
  if (now.deleted) return before?.deleted === true ? [] : ['deleted'];
  if (command === 'create' || before?.deleted === true) return ['created'];
  if (before === undefined) return unknownBefore(now, command);
  const types: WatchType[] = [];
  if (asks(now) && (!asks(before) || now.history_version !== before.history_version)) {
    types.push('action_required');
  } else if (now.status !== before.status) types.push('status_change');
  if (now.title !== before.title) types.push('title_change');
  return types.length > 0 || now.look === before.look ? types : ['changed'];
}

const asks = ({ status }: Known) => status === 'requires_action';

/** Without a command, a poll found the chat. */
function unknownBefore(now: Known, command: Change['command'] | undefined): WatchType[] {
  if (asks(now)) return ['action_required'];
  if (command === undefined) return now.archived ? [] : ['changed'];
  return [command === 'update' ? 'changed' : 'status_change'];
}

import type { ChatRow } from './row.ts';

/**
 * The states of a chat: its status, whether messages are queued, whether it is archived. Constraints of the table chats
 * refuse all other combinations.
 */
export const STATES = [
  'waiting',
  'running',
  'running+queue',
  'interrupting',
  'interrupting+queue',
  'requires_action',
  'requires_action+queue',
  'error',
  'error+queue',
  'archived',
  'archived_error',
  'archived_error+queue',
  'deleted',
] as const;
export type State = (typeof STATES)[number];

export function stateOf(
  chat: Pick<ChatRow, 'status' | 'queue_length' | 'archived' | 'deleted_at'>,
): State {
  if (chat.deleted_at !== null) return 'deleted';
  const queue = chat.queue_length > 0 ? '+queue' : '';
  const base = chat.archived
    ? chat.status === 'waiting'
      ? 'archived'
      : `archived_${chat.status}`
    : chat.status;
  const state = `${base}${queue}` as State;
  if (!STATES.includes(state)) throw new Error(`A chat cannot be in the state ${state}.`);
  return state;
}

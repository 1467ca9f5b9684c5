import type { Check } from './evidence.ts';

/** No chat is busy. The caller waits for idle chats before this check. */
export const noStuckChats: Check = async ({ records, chats }) =>
  (await records.chats(chats))
    .filter(({ status }) => status === 'running' || status === 'interrupting')
    .map(({ id, status, worker_id }) => `chat ${id} is still ${status} (${worker_id})`);

const NOT_FAILED = new Set(['waiting', 'running', 'interrupting']);

/** No chat failed, except those that may. */
export const noFailedChats: Check = async ({ records, mayFail, chats }) =>
  (await records.chats(chats))
    .filter(({ id, status }) => !NOT_FAILED.has(status) && mayFail?.has(id) !== true)
    .map(({ id, last_error }) => `chat ${id} failed: ${JSON.stringify(last_error)}`);

/** Without answered turns, the other checks prove nothing. */
export const enoughTurns: Check = async ({ records, progress }) => {
  const moves = await records.moves(undefined);
  const turns = moves.filter((move) => move.old_status === 'running' && move.status === 'waiting');
  return turns.length >= progress
    ? []
    : [`${turns.length} turns were answered, expected at least ${progress}`];
};

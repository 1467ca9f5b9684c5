import { type Check, chatFilter } from './evidence.ts';

/** No chat is busy. The caller waits for idle chats before this check. */
export const noStuckChats: Check = async ({ witness, chats }) => {
  const busy = await witness.busyChats();
  const checked = busy.filter(({ id }) => chats?.includes(id) !== false);
  return checked.map(({ id, status, worker_id }) => `chat ${id} is still ${status} (${worker_id})`);
};

/** No chat failed, except those that may. */
export const noFailedChats: Check = async (evidence) => {
  const { witness, mayFail } = evidence;
  const failed = await witness.query<{ id: string; last_error: unknown }>(
    `SELECT id, last_error FROM chats
      WHERE status NOT IN ('waiting', 'running', 'interrupting')
        AND ($1::uuid[] IS NULL OR id = ANY($1))`,
    chatFilter(evidence),
  );
  return failed
    .filter(({ id }) => mayFail?.has(id) !== true)
    .map(({ id, last_error }) => `chat ${id} failed: ${JSON.stringify(last_error)}`);
};

/** Without answered turns, the other checks prove nothing. */
export const enoughTurns: Check = async ({ witness, progress }) => {
  const [row] = await witness.query<{ turns: number }>(
    `SELECT count(*)::int AS turns FROM witness.moves WHERE old_status = 'running' AND status = 'waiting'`,
  );
  const turns = row?.turns ?? 0;
  return turns >= progress ? [] : [`${turns} turns were answered, expected at least ${progress}`];
};

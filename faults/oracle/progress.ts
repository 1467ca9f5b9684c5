import { type Check, judged } from './evidence.ts';

/** Every chat has left `running`; whoever asks has waited for as long as that may take. */
export const nothingIsStuck: Check = async ({ witness, chats }) => {
  const busy = await witness.busyChats();
  const ours = busy.filter(({ id }) => chats?.includes(id) !== false);
  return ours.map(({ id, status, worker_id }) => `chat ${id} is still ${status} (${worker_id})`);
};

/** No chat failed that had no reason to. */
export const nothingFailed: Check = async (evidence) => {
  const { witness, mayFail } = evidence;
  const failed = await witness.query<{ id: string; last_error: unknown }>(
    `SELECT id, last_error FROM chats
      WHERE status NOT IN ('waiting', 'running', 'interrupting')
        AND ($1::uuid[] IS NULL OR id = ANY($1))`,
    judged(evidence),
  );
  return failed
    .filter(({ id }) => mayFail?.has(id) !== true)
    .map(({ id, last_error }) => `chat ${id} failed: ${JSON.stringify(last_error)}`);
};

/** A run in which nothing was answered proves nothing. */
export const progressWasMade: Check = async ({ witness, progress }) => {
  const [row] = await witness.query<{ turns: number }>(
    `SELECT count(*)::int AS turns FROM witness.moves WHERE old_status = 'running' AND status = 'waiting'`,
  );
  const turns = row?.turns ?? 0;
  return turns >= progress ? [] : [`only ${turns} turns ended, ${progress} should have`];
};

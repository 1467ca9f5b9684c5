import type { Check } from './evidence.ts';

/** Every chat has left `running`; whoever asks has waited for as long as that may take. */
export const nothingIsStuck: Check = async ({ witness }) => {
  const busy = await witness.busyChats();
  return busy.map(({ id, status, worker_id }) => `chat ${id} is still ${status} (${worker_id})`);
};

/** No chat failed that had no reason to. */
export const nothingFailed: Check = async ({ witness, mayFail }) => {
  const failed = await witness.query<{ id: string; last_error: unknown }>(
    `SELECT id, last_error FROM chats WHERE status NOT IN ('waiting', 'running', 'interrupting')`,
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

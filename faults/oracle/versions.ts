import type { Check } from './evidence.ts';

/** Each transaction increases the version by at most one. */
export const versionsIncreaseByOne: Check = async ({ records, chats }) =>
  (await records.moves(chats)).flatMap((move) => {
    const { chat_id, old_version, version, old_history, history } = move;
    if (old_version === null || old_history === null) return [];
    const isNext = version === old_version || version === old_version + 1;
    const isHistory = history === old_history || (history === version && history > old_history);
    return isNext && isHistory ? [] : [`chat ${chat_id} jumped from ${old_version} to ${version}`];
  });

/** At most one commit per history version and attempt. User messages are excluded, because edits change their revision. */
export const oneCommitPerAttempt: Check = async ({ records, chats }) => {
  const commits = new Map<string, Set<string>>();
  for (const message of await records.messages(chats)) {
    const { chat_id, base_version, attempt, revision, runner_id, role } = message;
    if (base_version === null || role === 'user') continue;
    const key = `chat ${chat_id}: more than one commit of attempt ${attempt} at ${base_version}`;
    const made = commits.get(key) ?? new Set();
    commits.set(key, made.add(`${revision} ${runner_id}`));
  }
  return [...commits].filter(([, made]) => made.size > 1).map(([key]) => key);
};

/** Every commit was made by the chat's runner at that time. */
export const onlyOwnerCommits: Check = async ({ records, chats }) => {
  const runners = new Map<string, string | null>();
  for (const { chat_id, old_version, version, old_runner } of await records.moves(chats)) {
    if (old_version !== null && old_version < version) {
      runners.set(`${chat_id} ${version}`, old_runner);
    }
  }
  return (await records.messages(chats)).flatMap(({ chat_id, id, role, revision, runner_id }) => {
    if (runner_id === null || role === 'user') return [];
    const owner = runners.get(`${chat_id} ${revision}`) ?? null;
    return owner === runner_id ? [] : [`chat ${chat_id}: another runner committed message ${id}`];
  });
};

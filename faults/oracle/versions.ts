import { type Check, chatFilter } from './evidence.ts';

/** Each transaction increases the version by at most one. */
export const versionsIncreaseByOne: Check = async (evidence) => {
  const wrong = await evidence.witness.query<{
    chat_id: string;
    old_version: string;
    version: string;
  }>(
    `SELECT chat_id, old_version, version FROM witness.moves
      WHERE old_version IS NOT NULL
        AND (version NOT IN (old_version, old_version + 1)
             OR history NOT IN (old_history, version) OR history < old_history)
        AND ($1::uuid[] IS NULL OR chat_id = ANY($1))`,
    chatFilter(evidence),
  );
  return wrong.map(
    ({ chat_id, old_version, version }) =>
      `chat ${chat_id} jumped from ${old_version} to ${version}`,
  );
};

/** At most one commit per history version and attempt. User messages are excluded, because edits change their revision. */
export const oneCommitPerAttempt: Check = async (evidence) => {
  const wrong = await evidence.witness.query<{
    chat_id: string;
    base_version: string;
    attempt: number;
  }>(
    `SELECT chat_id, base_version, attempt FROM messages
      WHERE base_version IS NOT NULL AND role <> 'user'
        AND ($1::uuid[] IS NULL OR chat_id = ANY($1))
      GROUP BY chat_id, base_version, attempt
     HAVING count(DISTINCT revision) > 1 OR count(DISTINCT runner_id) > 1`,
    chatFilter(evidence),
  );
  return wrong.map(
    ({ chat_id, base_version, attempt }) =>
      `chat ${chat_id}: more than one commit of attempt ${attempt} at ${base_version}`,
  );
};

/** Every commit was made by the chat's runner at that time. */
export const onlyOwnerCommits: Check = async (evidence) => {
  const wrong = await evidence.witness.query<{ chat_id: string; id: string }>(
    `SELECT messages.chat_id, messages.id
       FROM messages
       LEFT JOIN witness.moves
         ON moves.chat_id = messages.chat_id AND moves.version = messages.revision
        AND moves.old_version < moves.version
      WHERE messages.runner_id IS NOT NULL AND messages.role <> 'user'
        AND messages.runner_id IS DISTINCT FROM moves.old_runner
        AND ($1::uuid[] IS NULL OR messages.chat_id = ANY($1))`,
    chatFilter(evidence),
  );
  return wrong.map(({ chat_id, id }) => `chat ${chat_id}: another runner committed message ${id}`);
};

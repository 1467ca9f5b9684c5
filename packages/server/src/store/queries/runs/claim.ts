/**
 * One row with a new runner if the worker may run another chat of the user, else none. Reads at most :active_limit rows
 * of chats_runnable_by_owner. Chats that are being claimed concurrently are not counted: see `worker/reservations.ts`.
 */
export const CLAIM = `
     SELECT gen_random_uuid() AS runner_id
      WHERE :worker_id::uuid IS NOT NULL
        AND (:active_limit::int IS NULL
             OR (SELECT count(*)
                   FROM (SELECT FROM chats
                          WHERE chats.owner_id = :owner_id::uuid AND chats.status IN ('running', 'interrupting')
                          LIMIT :active_limit::int) AS active) < :active_limit::int)`;

/** The approval rules of the owner, which the runner of a claimed chat needs. */
export const CLAIMED_APPROVALS = `CASE WHEN chats.runner_id IS NOT NULL
               THEN (SELECT rules FROM user_approvals WHERE user_id = chats.owner_id) END AS approvals`;

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

/**
 * The approval rules of the owner. Those of the trigger that started the chat follow, so they take precedence. They apply
 * after the trigger was deleted, too.
 */
export const RULES_OF_CHAT = `CASE WHEN chats.trigger_id IS NULL
               THEN (SELECT rules FROM user_approvals WHERE user_id = chats.owner_id)
               ELSE coalesce((SELECT rules FROM user_approvals WHERE user_id = chats.owner_id), '[]')
                 || coalesce((SELECT chat -> 'approvals' FROM triggers WHERE id = chats.trigger_id),
                             (SELECT rules FROM deleted_trigger_approvals WHERE trigger_id = chats.trigger_id),
                             '[]') END`;

/** The approval rules that the runner of a claimed chat needs. */
export const CLAIMED_APPROVALS = `CASE WHEN chats.runner_id IS NOT NULL THEN ${RULES_OF_CHAT} END AS approvals`;

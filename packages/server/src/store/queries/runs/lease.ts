/**
 * The worker is alive: its heartbeat, or the start of PostgreSQL, is younger than `parameter` milliseconds by the
 * database's clock. Counting from the start keeps leases valid through an outage. The statement must join `workers`.
 */
export const hasLivingOwner = (parameter: string): string =>
  `greatest(workers.heartbeat_at, pg_postmaster_start_time())
     >= clock_timestamp() - ${parameter}::bigint * interval '1 millisecond'`;

/** The chat has no runner, or its worker is not alive. */
export const hasNoLivingOwner = (parameter: string): string =>
  `(chats.runner_id IS NULL OR workers.id IS NULL OR NOT ${hasLivingOwner(parameter)})`;

/**
 * Assignments of a statement that acquires: taking over a chat with a runner counts a death of its owner. The count
 * restarts when the history has changed.
 */
export const COUNT_DEATH = `owner_deaths = CASE WHEN chats.runner_id IS NULL THEN chats.owner_deaths
                              WHEN chats.deaths_version = chats.history_version THEN chats.owner_deaths + 1
                              ELSE 1 END,
          deaths_version = CASE WHEN chats.runner_id IS NULL THEN chats.deaths_version
                                ELSE chats.history_version END`;

/** How long a pinned chat is left to its worker, which may have no capacity. */
const PIN_SECONDS = 5;

/** No other living worker holds MCP sessions of the chat. Interrupting chats ignore pins. */
export const isNotPinnedElsewhere = (worker: string, lease: string): string =>
  `(chats.pinned_worker_id IS NULL OR chats.pinned_worker_id = ${worker} OR chats.status = 'interrupting'
      OR chats.active_at < clock_timestamp() - interval '${PIN_SECONDS} seconds'
      OR NOT EXISTS (SELECT FROM workers AS holder
                      WHERE holder.id = chats.pinned_worker_id
                        AND holder.heartbeat_at >= clock_timestamp() - ${lease}::bigint * interval '1 millisecond'))`;

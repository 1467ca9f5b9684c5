/**
 * A worker that is heard of: its heartbeat, or the start of PostgreSQL, is younger than `parameter` milliseconds by the
 * database's clock. Leases count from that start, so that an outage expires nobody. The statement has joined `workers`.
 */
export const hasLivingOwner = (parameter: string): string =>
  `greatest(workers.heartbeat_at, pg_postmaster_start_time())
     >= clock_timestamp() - ${parameter}::bigint * interval '1 millisecond'`;

/** A chat without a runner, or whose worker nobody knows or has heard of in time. */
export const hasNoLivingOwner = (parameter: string): string =>
  `(chats.runner_id IS NULL OR workers.id IS NULL OR NOT ${hasLivingOwner(parameter)})`;

/**
 * Taking a chat that has a runner means that its owner died. The count begins again when the history has changed since
 * the last death. For the SET of a statement that acquires.
 */
export const COUNT_DEATH = `owner_deaths = CASE WHEN chats.runner_id IS NULL THEN chats.owner_deaths
                              WHEN chats.deaths_version = chats.history_version THEN chats.owner_deaths + 1
                              ELSE 1 END,
          deaths_version = CASE WHEN chats.runner_id IS NULL THEN chats.deaths_version
                                ELSE chats.history_version END`;

/** In seconds from the beginning of its turn, that a pinned chat is left to its worker, which may have no room for it. */
const PIN_SECONDS = 5;

/** A chat that no other living worker holds sessions of. A chat that is only to be stopped waits for none of them. */
export const isNotPinnedElsewhere = (worker: string, lease: string): string =>
  `(chats.pinned_worker_id IS NULL OR chats.pinned_worker_id = ${worker} OR chats.status = 'interrupting'
      OR chats.active_at < clock_timestamp() - interval '${PIN_SECONDS} seconds'
      OR NOT EXISTS (SELECT FROM workers AS holder
                      WHERE holder.id = chats.pinned_worker_id
                        AND holder.heartbeat_at >= clock_timestamp() - ${lease}::bigint * interval '1 millisecond'))`;

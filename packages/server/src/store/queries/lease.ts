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

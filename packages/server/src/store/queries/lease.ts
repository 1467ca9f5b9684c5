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

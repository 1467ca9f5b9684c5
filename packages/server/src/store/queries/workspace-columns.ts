/** A maker beats every 2 s: after five beats without one there is none. */
export const WORKSPACE_COLUMNS = `id, owner_id, name, template_id, template_name, definition, status, error,
  host_id, host_name, log, baselines, created_at, updated_at, last_used_at,
  (status = 'creating' AND beat_at < now() - interval '10 s') AS forsaken`;

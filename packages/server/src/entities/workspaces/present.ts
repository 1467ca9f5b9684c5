import type { Workspace } from '@chatd/protocol';
import type { WorkspaceRow } from '../../store/workspaces.ts';

export function presentWorkspace(row: WorkspaceRow): Workspace {
  return {
    id: row.id,
    name: row.name,
    template_id: row.template_id,
    template_name: row.template_name,
    owner_id: row.owner_id,
    status: row.status,
    ...(row.error !== null && { error: row.error }),
    machine_id: row.host_id,
    machine_name: row.host_name,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
  };
}

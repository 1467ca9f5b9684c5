import type { Machine } from '@chatd/protocol';
import type { MachineRow } from '../../store/machines.ts';

export function presentMachine(row: MachineRow): Machine {
  const { sandbox = false, docker = false, desktop = false } = row.capabilities;
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    status: !row.online ? 'offline' : row.draining ? 'draining' : 'online',
    draining: row.draining,
    labels: row.labels,
    version: row.version,
    capabilities: { sandbox, docker, desktop },
    workspaces: row.workspaces,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
  };
}

import type { HandlersOf } from '../../call.ts';
import { portRefused } from '../../previews/port-refused.ts';
import type { Services } from '../../services.ts';
import { requireWorkspaces } from './workspaces.ts';

export function portHandlers({ workspaces, previews }: Services): HandlersOf<'Ports'> {
  return {
    async listPorts({ found }) {
      const open = await requireWorkspaces(workspaces).peek(found.workspace);
      const listed = open === undefined ? [] : await portRefused(open.ports.list());
      const ports = listed.map(({ port, program = null }) => ({ port, program }));
      return { status: 200, body: { ports, next_cursor: null } };
    },

    async createPreview({ found, params, exchange }) {
      const enabled = requireWorkspaces(previews);
      const { url, expiresAt } = enabled.create(exchange, found.workspace.id, params.port);
      return { status: 200, body: { url, expires_at: expiresAt.toISOString() } };
    },
  };
}

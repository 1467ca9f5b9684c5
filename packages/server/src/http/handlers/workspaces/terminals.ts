import { type Guest, holderOf } from '../../../stream/holders.ts';
import type { Terminals } from '../../../workspaces/terminals/terminals.ts';
import type { HandlersOf } from '../../call.ts';
import type { Services } from '../../services.ts';
import { requireWorkspaces } from './workspaces.ts';

export function terminalHandlers({ terminals, streams }: Services): HandlersOf<'Terminals'> {
  const enabled = (): Terminals => requireWorkspaces(terminals);

  return {
    async listTerminals({ found }) {
      return {
        status: 200,
        body: { terminals: await enabled().list(found.workspace), next_cursor: null },
      };
    },

    async openTerminal({ found, query, caller }) {
      const { terminal_id, after, cols, rows } = query;
      const { id, role } = found.workspace;
      const guest: Guest | undefined =
        role === 'owner' ? undefined : { kind: 'workspace', id, needs: 'editor' };
      const held = await streams.hold(holderOf(caller, { guest }));
      try {
        const terminal = await enabled().open(found.workspace, terminal_id, { cols, rows });
        let opened = false;
        return {
          status: 101,
          socket: {
            cancel() {
              held.cancel();
              if (terminal.isNew && !opened) terminal.discard();
            },
            open(connection) {
              opened = true;
              held.opened(connection);
              terminal.connect(connection, terminal.isNew ? undefined : after);
            },
          },
        };
      } catch (error) {
        held.cancel();
        throw error;
      }
    },
  };
}

import { holderOf } from '../../stream/holders.ts';
import { type Terminals, TooManyTerminals } from '../../workspaces/terminals/terminals.ts';
import { admitted } from '../admission.ts';
import type { HandlersOf } from '../call.ts';
import { limitReached } from '../../chat/refused.ts';
import type { Services } from '../services.ts';
import { requireWorkspaces } from './workspaces.ts';

export function terminalHandlers({ terminals, streams }: Services): HandlersOf<'Terminals'> {
  const enabled = (): Terminals => requireWorkspaces(terminals);

  return {
    async listTerminals({ found }) {
      return {
        status: 200,
        body: { terminals: enabled().list(found.workspace), next_cursor: null },
      };
    },

    async openTerminal({ found, query, caller }) {
      const { terminal_id, after, cols, rows } = query;
      const held = await admitted(streams.hold(holderOf(caller)));
      try {
        const { terminal, isNew } = await enabled()
          .open(found.workspace, terminal_id, { cols, rows })
          .catch(tooMany);
        let opened = false;
        return {
          status: 101,
          meet: {
            cancel() {
              held.cancel();
              // Nobody knows of it.
              if (isNew && !opened) void terminal.end();
            },
            open(peer) {
              opened = true;
              held.opened(peer);
              terminal.attach(peer, isNew ? undefined : after, isNew);
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

function tooMany(error: unknown): never {
  if (!(error instanceof TooManyTerminals)) throw error;
  throw limitReached(error.message, 5);
}

import type { DesktopStatus, TemplateDefinition } from '@chatd/protocol';
import { type Caller, hasScope } from '../../../auth/caller.ts';
import { hasRole, requireRole } from '../../../auth/authorize.ts';
import { desktopSize } from '../../../desktop/desktops.ts';
import { DesktopUnavailable } from '../../../machine/display/desktop-unavailable.ts';
import type { HostedDesktop } from '../../../machine/machine.ts';
import { statusOf, watchDesktop } from '../../../desktop/watch/watch-desktop.ts';
import type { WorkspaceRow } from '../../../store/workspaces.ts';
import { workspaceOfChat } from '../../../entities/workspaces/queries.ts';
import { guestOf, holderOf } from '../../../stream/holders.ts';
import type { HandlersOf } from '../../call.ts';
import { Refused } from '../../../chat/refused.ts';
import type { Services } from '../../services.ts';
import { requireWorkspaces } from './workspaces.ts';

const NONE =
  'No desktop is running in the workspace of this chat. Agents start one when they need it.';

const NO_WORKSPACE = 'The chat has no workspace.';

export function desktopHandlers(services: Services): HandlersOf<'Desktops'> {
  const { streams } = services;

  /** `mayStart`: also without `start`, if its template has a desktop. Otherwise, the workspace is not opened either. */
  const desktopOf = async (
    row: WorkspaceRow,
    start: boolean,
    mayStart = true,
  ): Promise<HostedDesktop> => {
    const workspaces = requireWorkspaces(services.workspaces);
    if (!start && (!mayStart || !wantsDesktop(row.definition))) {
      const found = mayStart ? await workspaces.use(row.id) : await workspaces.peek(row);
      if (found === undefined || (await found.desktop.state()) === undefined) throw noDesktop(NONE);
      return found.desktop;
    }
    const { desktop } = await workspaces.use(row.id);
    await desktop.start(desktopSize(row.definition)).catch((error: unknown) => {
      throw error instanceof DesktopUnavailable ? noDesktop(error.message) : error;
    });
    return desktop;
  };

  return {
    async getDesktop({ found, db }) {
      const workspaces = requireWorkspaces(services.workspaces);
      const row = await workspaceOfChat(db, found.chat);
      if (row === undefined) return { status: 200, body: none({}, NO_WORKSPACE) };
      const state = await workspaces
        .peek(row)
        .then((workspace) => workspace?.desktop.state())
        .catch(() => undefined);
      const body = state === undefined ? none(row.definition, NONE) : statusOf(state);
      return { status: 200, body };
    },

    async startDesktop({ found, db }) {
      const row = await workspaceOfChat(db, found.chat);
      if (row === undefined) throw noDesktop(NO_WORKSPACE);
      const state = await (await desktopOf(row, true)).state();
      const body = state === undefined ? none(row.definition, NONE) : statusOf(state);
      return { status: 200, body };
    },

    async openDesktop({ found, query, caller, db }) {
      const { mode, status, start } = query;
      const mayControl = hasScope(caller, 'write') && hasRole(found.chat, 'editor');
      if (mode === 'control' || start) {
        requireWrite(caller);
        requireRole(found.chat, 'editor', 'chat');
      }
      const row = await workspaceOfChat(db, found.chat);
      if (row === undefined) throw noDesktop(NO_WORKSPACE);
      const desktop = await desktopOf(row, start, mayControl);
      const held = await streams.hold(
        holderOf(caller, { guest: guestOf(found.chat, mayControl ? 'editor' : 'viewer') }),
      );
      const { workspaces } = services;
      return {
        status: 101,
        socket: {
          cancel: () => held.cancel(),
          open(connection) {
            held.opened(connection);
            watchDesktop(desktop, connection, {
              name: caller.user.username,
              controls: mode === 'control',
              mayControl,
              wantsStatus: status,
              onUse: () => workspaces?.used(row.id),
            });
          },
        },
      };
    },
  };
}

const wantsDesktop = ({ desktop }: TemplateDefinition) =>
  desktop !== undefined && desktop !== false;

const noDesktop = (detail: string) => new Refused('no_desktop', detail);

const none = (definition: Pick<TemplateDefinition, 'desktop'>, reason: string): DesktopStatus => ({
  running: false,
  reason,
  ...desktopSize(definition),
  controller: 'agent',
  controlled_by: null,
  agent_waits: false,
  viewers: 0,
});

function requireWrite(caller: Caller): void {
  if (hasScope(caller, 'write')) return;
  throw new Refused('insufficient_scope', 'Controlling a desktop requires the scope write.');
}

import type { DesktopStatus, TemplateDefinition } from '@chatd/protocol';
import { type Caller, hasScope } from '../../auth/caller.ts';
import type { ChatRow } from '../../chat/row.ts';
import type { Desktop } from '../../desktop/desktop.ts';
import { desktopSize } from '../../desktop/desktops.ts';
import { DesktopUnavailable } from '../../desktop/desktop-unavailable.ts';
import { statusOf, watchDesktop } from '../../desktop/watch/watch-desktop.ts';
import { findChat } from '../../store/queries/chats/find.ts';
import type { Queryable } from '../../store/statement.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import { holderOf } from '../../stream/holders.ts';
import { admitted } from '../admission.ts';
import type { HandlersOf } from '../call.ts';
import { Refused } from '../../chat/refused.ts';
import type { Services } from '../services.ts';
import { demandWorkspaces } from './workspaces.ts';

const NONE = 'No desktop runs in the workspace of this chat: an agent starts one when it needs it.';

const NO_WORKSPACE = 'The chat has no workspace, and so no desktop.';

export function desktopHandlers(services: Services): HandlersOf<'Desktops'> {
  const { streams } = services;

  /** The workspace that the chat works in: its own, or that of the chat it belongs to. */
  const workspaceOf = async (chat: ChatRow, db: Queryable): Promise<WorkspaceRow | undefined> => {
    const [root] =
      chat.root_chat_id === null ? [] : await db.query(findChat, { id: chat.root_chat_id });
    const id = chat.workspace_id ?? (root?.owner_id === chat.owner_id ? root.workspace_id : null);
    const row = id === null ? undefined : await demandWorkspaces(services.workspaces).find(id, db);
    return row?.status === 'deleted' ? undefined : row;
  };

  const desktopOf = async (row: WorkspaceRow, start: boolean): Promise<Desktop> => {
    const workspace = await demandWorkspaces(services.workspaces).use(row.id);
    const desktops = demandWorkspaces(services.desktops);
    const wanted = start || asksForOne(row.definition);
    const desktop = wanted ? desktops.of(workspace, row.definition) : desktops.find(workspace);
    if (desktop === undefined) throw noDesktop(NONE);
    return await desktop.catch((error: unknown) => {
      throw error instanceof DesktopUnavailable ? noDesktop(error.message) : error;
    });
  };

  return {
    async getDesktop({ found, db }) {
      const workspaces = demandWorkspaces(services.workspaces);
      const row = await workspaceOf(found.chat, db);
      if (row === undefined) return { status: 200, body: none({}, NO_WORKSPACE) };
      const workspace = await workspaces.peek(row.id)?.catch(() => undefined);
      const desktop =
        workspace && (await services.desktops?.find(workspace)?.catch(() => undefined));
      const body = desktop === undefined ? none(row.definition, NONE) : statusOf(desktop);
      return { status: 200, body };
    },

    async openDesktop({ found, query, caller, db }) {
      const { mode, status, start } = query;
      if (mode === 'control' || start) demandWrite(caller);
      const row = await workspaceOf(found.chat, db);
      if (row === undefined) throw noDesktop(NO_WORKSPACE);
      const desktop = await desktopOf(row, start);
      const held = await admitted(streams.hold(holderOf(caller)));
      const { workspaces } = services;
      return {
        status: 101,
        meet: {
          cancel: () => held.cancel(),
          open(peer) {
            held.opened(peer);
            watchDesktop(desktop, peer, {
              name: caller.user.username,
              controls: mode === 'control',
              mayControl: hasScope(caller, 'write'),
              wantsStatus: status,
              onUse: () => workspaces?.used(row.id),
            });
          },
        },
      };
    },
  };
}

const asksForOne = ({ desktop }: TemplateDefinition) => desktop !== undefined && desktop !== false;

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

function demandWrite(caller: Caller): void {
  if (hasScope(caller, 'write')) return;
  throw new Refused('insufficient_scope', 'To control a desktop needs the scope write.');
}

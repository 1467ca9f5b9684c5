import { hasRole } from '../../../auth/authorize.ts';
import { forgetChatContext } from '../../../store/queries/chat-contexts.ts';
import { listWorkspaces } from '../../../store/queries/workspaces.ts';
import type { Workspaces } from '../../../workspaces/workspaces.ts';
import type { HandlersOf } from '../../call.ts';
import { decodeCursor, IdCursor, page } from '../../request/cursor.ts';
import { createWorkspace } from '../../../entities/workspaces/commands.ts';
import { presentWorkspace } from '../../../entities/workspaces/present.ts';
import { Refused } from '../../../chat/refused.ts';
import type { Services } from '../../services.ts';

export function workspaceHandlers({
  workspaces,
  diffs,
  contextPreview,
}: Services): HandlersOf<'Workspaces'> {
  const enabled = (): Workspaces => requireWorkspaces(workspaces);

  return {
    async listWorkspaces({ query, caller, db }) {
      const after = decodeCursor(IdCursor, query.cursor);
      const found = await db.query(listWorkspaces, {
        owner_id: caller.user.id,
        before_id: after?.id ?? null,
        limit: query.limit + 1,
      });
      const { rows, next_cursor } = page(found, query.limit, ({ id }) => ({ id }));
      return { status: 200, body: { workspaces: rows.map(presentWorkspace), next_cursor } };
    },

    async createWorkspace({ body, caller, db, tx }) {
      const row = await createWorkspace(enabled(), caller.user.id, body, db, tx);
      return { status: 201, body: presentWorkspace(row) };
    },

    async getWorkspace({ found }) {
      const { workspace } = found;
      // The setup is the owner's configuration.
      const log = hasRole(workspace, 'editor')
        ? (workspaces?.logOf(workspace) ?? workspace.log)
        : '';
      return { status: 200, body: { ...presentWorkspace(found.workspace), log } };
    },

    async startWorkspace({ found, tx }) {
      const row = await enabled().restart(found.workspace, tx);
      return { status: 200, body: presentWorkspace(row) };
    },

    async stopWorkspace({ found, tx }) {
      const row = await enabled().stop(found.workspace, tx);
      return { status: 200, body: presentWorkspace(row) };
    },

    async deleteWorkspace({ found, tx }) {
      await enabled().markDeleted(found.workspace, tx);
      return { status: 204, afterCommit: () => enabled().removeDeleted(found.workspace) };
    },

    async getChatDiff({ found, db }) {
      const { workspace_id } = found.chat;
      const row = workspace_id === null ? undefined : await enabled().find(workspace_id, db);
      if (row === undefined || row.status === 'deleted' || diffs === undefined) {
        return { status: 200, body: { workspace_id: null, computed_at: null, repositories: [] } };
      }
      return { status: 200, body: await diffs.of(row) };
    },

    getChatContext: async ({ found }) => ({
      status: 200,
      body: await contextPreview.of(found.chat),
    }),

    async refreshChatContext({ found, db }) {
      await db.query(forgetChatContext, { chat_id: found.chat.id });
      return { status: 204 };
    },
  };
}

/** Refuses the request when workspaces are disabled. */
export function requireWorkspaces<T>(service: T | undefined): T {
  if (service !== undefined) return service;
  throw new Refused('workspaces_disabled', 'Workspaces are disabled on this server.');
}

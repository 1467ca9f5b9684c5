import type { Caller } from '../../../auth/caller.ts';
import { GitConnectionCommands } from '../../../entities/git-connections/commands.ts';
import { presentGitConnection } from '../../../entities/git-connections/present.ts';
import { workspaceOfChat } from '../../../entities/workspaces/queries.ts';
import type { GitChat } from '../../../git/chat-git.ts';
import { listGitConnections } from '../../../store/queries/git.ts';
import { findWorkspaceFor, type VisibleChat } from '../../../store/queries/sharing/roles.ts';
import type { Queryable } from '../../../store/statement.ts';
import { Refused } from '../../../chat/refused.ts';
import type { HandlersOf } from '../../call.ts';
import type { Services } from '../../services.ts';
import { requireWorkspaces } from './workspaces.ts';

export function gitHandlers({ store, git, chatGit }: Services): HandlersOf<'Git'> {
  const commands = new GitConnectionCommands(git);

  return {
    async listGitConnections({ caller, db }) {
      const rows = await db.query(listGitConnections, { owner_id: caller.user.id });
      return {
        status: 200,
        body: { git_connections: rows.map(presentGitConnection), next_cursor: null },
      };
    },

    async createGitConnection({ caller, body, record }) {
      const planned = await commands.plan(body);
      const row = await store.database.transaction(async (tx) => {
        const created = await commands.create(caller, planned, tx);
        await record(tx, created.id);
        return created;
      });
      return { status: 201, body: presentGitConnection(row) };
    },

    async deleteGitConnection({ found, tx }) {
      await commands.delete(found.git_connection, tx);
      return { status: 204 };
    },

    async getChatGit({ found, caller, db }) {
      const of = await find(found.chat, caller, db);
      if (of === undefined) return { status: 200, body: { workspace_id: null, repositories: [] } };
      return { status: 200, body: await requireWorkspaces(chatGit).status(of) };
    },

    async waitForGitChange({ found, caller, query, db }) {
      const of = await find(found.chat, caller, db);
      const changed =
        of !== undefined && (await requireWorkspaces(chatGit).wait(of, query.seconds * 1000));
      return { status: 200, body: { changed } };
    },

    async pushChatGit({ found, caller, body, db, record }) {
      const of = await require(found.chat, caller, db);
      const repository = await requireWorkspaces(chatGit).push(of, body);
      await record(db);
      return { status: 200, body: repository };
    },

    async createPullRequest({ found, caller, body, db, record }) {
      const of = await require(found.chat, caller, db);
      const pullRequest = await requireWorkspaces(chatGit).openPullRequest(of, body);
      await record(db);
      return { status: 201, body: pullRequest };
    },
  };
}

/** Undefined: the chat has no workspace, or not one that the caller may see. */
async function find(
  chat: VisibleChat,
  { user }: Caller,
  db: Queryable,
): Promise<GitChat | undefined> {
  const workspace = await workspaceOfChat(db, chat);
  if (workspace === undefined) return undefined;
  if (chat.role === 'owner') return { chat, workspace };
  const [seen] = await db.query(findWorkspaceFor, { id: workspace.id, user_id: user.id });
  return (seen?.role ?? null) === null ? undefined : { chat, workspace };
}

async function require(...of: Parameters<typeof find>): Promise<GitChat> {
  const found = await find(...of);
  if (found !== undefined) return found;
  throw new Refused('workspace_not_ready', 'The chat has no workspace.');
}

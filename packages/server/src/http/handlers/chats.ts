import { requireAdmin } from '../../auth/caller.ts';
import { titleFrom } from '../../chat/new-chat.ts';
import type { ChatChanges } from '../../chat/transitions/update.ts';
import { findChats, matchOf } from '../../search/search-chats.ts';
import {
  listChats,
  listChildren,
  listSharedChats,
  readVersionOf,
  readWholeHistory,
} from '../../store/chat-reads.ts';
import type { ListedChat } from '../../store/queries/chats/columns.ts';
import { markReadByGuest } from '../../store/queries/sharing/grants.ts';
import { completeContent } from '../../store/files/message-content.ts';
import { usableServers } from '../../store/mcp-servers.ts';
import { requestedModel } from '../../store/model-configs.ts';
import { chatCost } from '../../store/queries/model-calls.ts';
import { uuidv7 } from '../../store/uuid.ts';
import type { HandlersOf } from '../call.ts';
import { ChatCursor, decodeCursor, page, SearchCursor } from '../request/cursor.ts';
import { attachment } from '../headers.ts';
import { presentChat } from '../../present/chat.ts';
import { asMarkdown } from '../../present/markdown.ts';
import { presentMessageTo } from '../../present/message.ts';
import { presentChatCost } from '../../present/usage.ts';
import { Refused, refusedField } from '../../chat/refused.ts';
import type { Services } from '../services.ts';
import { afterCommit, withinTransaction } from '../../store/transaction-scope.ts';
import { requestedProject, unknownProject } from '../../entities/projects/queries.ts';
import { copyWorkspace } from '../../entities/workspaces/commands.ts';
import { checkOwnWorkspace } from '../../entities/workspaces/queries.ts';
import { isForeignKeyViolation } from '../../store/constraint.ts';
import { requireWorkspaces } from './workspaces/workspaces.ts';

export const chatHandlers = ({
  store,
  titles,
  sharingChanges,
  workspaces,
  checkpoints,
}: Services): HandlersOf<'Chats'> => ({
  async createChat({ body, caller, db, tx }) {
    const owner_id = caller.user.id;
    await checkOwnWorkspace(db, body.workspace_id, owner_id);
    const project = await requestedProject(db, body.project_id, owner_id);
    const content = await completeContent(db, owner_id, body.content);
    const mcp_server_ids = await usableServers(db, body.mcp_server_ids, owner_id);
    const { chat, messages } = await inProject(project?.id, () =>
      store.creation.createRequested(
        {
          id: uuidv7(),
          owner_id,
          title: body.title ?? titleFrom(content),
          title_source: body.title === undefined ? 'first_message' : 'user',
          content,
          model_config_id: body.model_config_id ?? project?.model_config_id ?? null,
          reasoning_effort: body.reasoning_effort ?? null,
          system_prompt: body.system_prompt ?? null,
          labels: body.labels ?? {},
          plan_mode: body.plan_mode ?? false,
          dynamic_tools: body.dynamic_tools ?? [],
          mcp_server_ids,
          workspace_id: body.workspace_id ?? null,
          project_id: project?.id ?? null,
        },
        tx,
      ),
    );
    return {
      status: 201,
      body: presentChat(chat),
      turn: { chat, after: 0, created: { chat, messages } },
    };
  },

  async listChats({ query, caller, db, exchange }) {
    const { limit, all = false } = query;
    if (all) {
      requireAdmin(caller, 'all');
      exchange.log.info({ user: caller.user.username }, 'an admin lists the chats of all users');
    }
    const filter = {
      ownerId: all ? null : caller.user.id,
      status: query.status ?? null,
      labels: query.label === undefined ? null : labelOf(query.label),
      modelConfigId: query.model_config_id ?? null,
      workspaceId: query.workspace_id ?? null,
      activeAfter: timeFrom(query.active_after),
      activeBefore: timeFrom(query.active_before),
      minCostMicros: query.min_cost_micros ?? null,
      projectId: query.project_id ?? null,
      limit: limit + 1,
    };
    const { parent_chat_id: parentId, archived, q: text = '', cursor } = query;
    if (query.shared !== undefined) {
      const other = NOT_WITH_SHARED.find((name) => query[name] !== undefined);
      if (other !== undefined) throw sharedWith(other);
      const position = decodeCursor(ChatCursor, cursor);
      const listed = await listSharedChats(db, {
        ...filter,
        userId: caller.user.id,
        after: position,
        archived: archived ?? false,
      });
      const { rows, next_cursor } = page(listed, limit, unpinned);
      return {
        status: 200,
        body: { chats: rows.map((row) => presentChat(row, row)), next_cursor },
      };
    }
    if (text.trim() !== '') {
      if (parentId !== undefined) throw searchWithParent();
      const after = decodeCursor(SearchCursor, cursor);
      const found = await findChats(store.database, {
        ...filter,
        text,
        after,
        archived: archived ?? false,
        // Guests do not see what these filters compare.
        withShared: !all && OWNERS_FILTERS.every((name) => query[name] === undefined),
      });
      const { rows, next_cursor } = page(found.rows, limit, ({ in_title, activity, id }) => ({
        in_title,
        activity,
        id,
      }));
      const chats = rows.map((row) => ({
        ...presentChat(row, found.guests.get(row.id)),
        match: matchOf(row, found.words),
      }));
      return { status: 200, body: { chats, next_cursor } };
    }
    const after = decodeCursor(ChatCursor, cursor);
    if (parentId !== undefined) {
      const children = { ...filter, after, parentId, archived: archived ?? null };
      const { rows, next_cursor } = page(await listChildren(db, children), limit, placeOf);
      return {
        status: 200,
        body: { chats: rows.map((row) => presentChat(row, row)), next_cursor },
      };
    }
    const listed = await listChats(db, { ...filter, after, archived: archived ?? false });
    const { rows, next_cursor } = page(listed, limit, placeOf);
    return { status: 200, body: { chats: rows.map((row) => presentChat(row)), next_cursor } };
  },

  getChat: async ({ found }) => ({ status: 200, body: presentChat(found.chat, found.chat) }),

  async updateChat({ found, body, db, tx }) {
    const { archived, workspace_id, project_id, model_config_id, mcp_server_ids, ...rest } = body;
    await checkOwnWorkspace(db, workspace_id, found.chat.owner_id);
    if (project_id !== undefined && found.chat.root_chat_id !== null) throw notRoot();
    await requestedProject(db, project_id, found.chat.owner_id);
    const model = await requestedModel(db, model_config_id, found.chat.owner_id);
    const servers = await usableServers(db, mcp_server_ids, found.chat.owner_id);
    const changes = given({
      ...rest,
      ...(rest.title !== undefined && { title_source: 'user' }),
      workspace_id,
      project_id,
      model_config_id: model ?? undefined,
      mcp_server_ids: servers ?? undefined,
    }) as ChatChanges;
    const { id } = found.chat;
    if (archived === undefined) {
      const { chat } = await inProject(project_id, () => store.client.update(id, changes, tx));
      return { status: 200, body: presentChat(chat) };
    }
    const { chat } = await inProject(project_id, () =>
      withinTransaction(store.database, tx, async (tx) => {
        await store.client.update(id, changes, tx);
        return await store.client.setArchived(id, archived, tx);
      }),
    );
    return { status: 200, body: presentChat(chat) };
  },

  async deleteChat({ found, tx }) {
    await store.client.delete(found.chat.id, tx);
    return { status: 204 };
  },

  async restoreChat({ found, tx }) {
    const { chat } = await store.client.restore(found.chat.id, tx);
    return { status: 200, body: presentChat(chat) };
  },

  async markChatRead({ found, body, caller, db, tx }) {
    const { chat } = found;
    if (chat.role === 'owner') {
      await store.client.markRead(chat.id, body.message_id, tx);
      return { status: 204 };
    }
    const read_version = await readVersionOf(db, chat, body.message_id);
    const mark = { chat_id: chat.id, user_id: caller.user.id, read_version };
    await db.query(markReadByGuest, mark);
    afterCommit(tx, () => sharingChanges.publish({ chat_id: chat.id, read_by: caller.user.id }));
    return { status: 204 };
  },

  async regenerateTitle({ found, tx }) {
    const { chat } = found;
    // With an Idempotency-Key: after the response is stored, so at most once.
    afterCommit(tx, () => titles.regenerate(chat.id));
    return { status: 202, body: presentChat(chat) };
  },

  async interruptChat({ found, tx }) {
    const { chat } = await store.client.interrupt(found.chat.id, tx);
    return { status: 200, body: presentChat(chat, found.chat) };
  },

  async submitToolResults({ found, body, tx }) {
    await store.client.submitToolResults(found.chat.id, body.results, tx);
    return { status: 204 };
  },

  async compactChat({ found, tx }) {
    const { chat } = await store.client.requestCompaction(found.chat.id, tx);
    return { status: 202, body: presentChat(chat, found.chat) };
  },

  async forkChat({ found, body, caller, tx }) {
    const copy = { id: uuidv7(), owner_id: caller.user.id };
    const files = body.files
      ? await requireWorkspaces(checkpoints).filesAt(found.chat, body.message_id)
      : undefined;
    const chat = await withinTransaction(store.database, tx, async (tx) => {
      const workspace =
        files && (await copyWorkspace(requireWorkspaces(workspaces), copy.owner_id, files, tx));
      const owned = { ...copy, ...(workspace && { workspace_id: workspace.id }) };
      return await store.creation.fork(found.chat, body.message_id, owned, tx);
    });
    return { status: 201, body: presentChat(chat) };
  },

  async getChatCost({ found, db }) {
    const { id, root_chat_id } = found.chat;
    return {
      status: 200,
      body: presentChatCost(await db.query(chatCost, { chat_id: id, root_id: root_chat_id ?? id })),
    };
  },

  async exportChat({ found, query }) {
    const chat = presentChat(found.chat, found.chat);
    const rows = await readWholeHistory(store.database, chat.id);
    const messages = rows.map((row) => presentMessageTo(row, found.chat));
    const asJson = query.format === 'json';
    return {
      status: 200,
      media: asJson ? 'application/json' : 'text/markdown; charset=utf-8',
      content: asJson ? JSON.stringify({ chat, messages }) : asMarkdown(chat, messages),
      headers: { 'content-disposition': attachment(`${chat.title}.${asJson ? 'json' : 'md'}`) },
    };
  },
});

/** `name:value`. The value may contain colons. */
function labelOf(label: string): Record<string, string> {
  const colon = label.indexOf(':');
  return { [label.slice(0, colon)]: label.slice(colon + 1) };
}

const timeFrom = (text: string | undefined) => (text === undefined ? null : new Date(text));

/** The project may be deleted after it was checked. */
async function inProject<T>(id: string | null | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (typeof id === 'string' && isForeignKeyViolation(error)) throw unknownProject(id);
    throw error;
  }
}

/** Only the fields that were sent. */
const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const notRoot = () =>
  new Refused(
    'not_a_root_chat',
    'This is a subagent chat. Apply the change to its root chat; subagents are included.',
  );

/** Where a page ends. */
const placeOf = ({ pin_order, activity, id }: ListedChat) => ({ pin_order, activity, id });
/** Guests have no pins. */
const unpinned = (chat: ListedChat) => ({ ...placeOf(chat), pin_order: 0 });

/** Filters by what only the owner of a chat sees. */
const OWNERS_FILTERS = ['label', 'project_id', 'min_cost_micros'] as const;
const NOT_WITH_SHARED = ['q', 'parent_chat_id', 'all', ...OWNERS_FILTERS] as const;

const sharedWith = (other: string) =>
  refusedField('shared', `cannot be combined with ${other}`, 'invalid_query');

const searchWithParent = () =>
  refusedField('q', 'cannot be combined with parent_chat_id', 'invalid_query');

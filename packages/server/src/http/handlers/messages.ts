import { readMessages } from '../../store/chat-reads.ts';
import { completeContent } from '../../store/files/message-content.ts';
import { requestedModel } from '../../store/model-configs.ts';
import type { HandlersOf } from '../call.ts';
import { decodeCursor, encodeCursor, MessageRange, rangeBehind } from '../request/cursor.ts';
import { presentChat } from '../../present/chat.ts';
import { presentMessage, presentMessageTo } from '../../present/message.ts';
import { requireRole } from '../../auth/authorize.ts';
import { authorIn } from '../../chat/author.ts';
import { presentQueuedMessage } from '../../present/queued-message.ts';
import { sentMessage } from '../../present/sent-message.ts';
import { presentVersions } from '../../present/versions.ts';
import { listVersions } from '../../store/queries/messages/versions.ts';
import type { VisibleChat } from '../../store/queries/sharing/roles.ts';
import type { Services } from '../services.ts';
import { requireWorkspaces } from './workspaces/workspaces.ts';

export const messageHandlers = ({ store, checkpoints }: Services): HandlersOf<'Messages'> => ({
  async listMessages({ found, query }) {
    const { after_id = null, before_id = null, cursor, limit } = query;
    const range = decodeCursor(MessageRange, cursor) ?? { after_id, before_id };
    const { messages, queued, hasMore } = await readMessages(store.database, found.chat.id, {
      afterId: range.after_id,
      beforeId: range.before_id,
      limit,
    });
    const rest = hasMore ? rangeBehind(range, messages) : null;
    return {
      status: 200,
      body: {
        messages: messages.map((row) => presentMessageTo(row, found.chat)),
        queued_messages: queued.map(presentQueuedMessage),
        has_more: hasMore,
        next_cursor: rest && encodeCursor(rest),
      },
    };
  },

  async sendMessage({ found, body, caller, db, tx }) {
    const { chat } = found;
    requireModelRights(chat, body);
    const message = {
      busy_behavior: body.busy_behavior,
      content: await completeContent(db, caller.user.id, body.content, chat.id),
      model_config_id: await requestedModel(db, body.model_config_id, chat.owner_id),
      reasoning_effort: body.reasoning_effort ?? null,
      ...authorIn(chat, caller.user),
    };
    const written = await store.client.send(chat.id, message, tx, chat.owner_id);
    const sent = sentMessage(written);
    if ('queued' in sent) {
      return { status: 202, body: { queued: true, queued_message: sent.queued } };
    }
    const { message: first } = sent;
    return {
      status: 201,
      body: { queued: false, message: first },
      turn: { chat: written.chat, after: first.id },
    };
  },

  async editMessage({ found, params, body, caller, db, tx }) {
    requireModelRights(found.chat, body);
    const edit = {
      content: await completeContent(db, caller.user.id, body.content, found.chat.id),
      model_config_id: await requestedModel(db, body.model_config_id, found.chat.owner_id),
      reasoning_effort: body.reasoning_effort ?? null,
      ...authorIn(found.chat, caller.user),
    };
    // A refused edit restores nothing.
    if (body.restore_files && !found.chat.archived)
      await requireWorkspaces(checkpoints).restoreBefore(found.chat, params.message_id);
    const { edited, dropped } = await store.client.editMessage(
      found.chat.id,
      params.message_id,
      edit,
      tx,
    );
    if (edited === null) throw new Error('The edit returned no message.');
    return {
      status: 200,
      body: { message: presentMessage(edited), deleted_message_ids: [...dropped] },
    };
  },

  async regenerateAnswer({ found, params, body, db, tx }) {
    requireModelRights(found.chat, body);
    const how = {
      model_config_id: await requestedModel(db, body.model_config_id, found.chat.owner_id),
      reasoning_effort: body.reasoning_effort ?? null,
    };
    const { chat } = await store.client.regenerate(found.chat.id, params.message_id, how, tx);
    return { status: 202, body: presentChat(chat, found.chat) };
  },

  async listVersions({ found, db }) {
    const rows = await db.query(listVersions, { chat_id: found.chat.id });
    return { status: 200, body: { branches: presentVersions(rows), next_cursor: null } };
  },

  async selectVersion({ found, params, tx }) {
    const { chat } = await store.client.selectVersion(found.chat.id, params.version_id, tx);
    return { status: 200, body: presentChat(chat, found.chat) };
  },

  async updateQueuedMessage({ found, params, body, caller, db, tx }) {
    const { id: chatId } = found.chat;
    const content =
      body.content === undefined
        ? null
        : await completeContent(db, caller.user.id, body.content, chatId);
    const { queued } = await store.client.editQueued(
      chatId,
      {
        id: params.queued_message_id,
        content,
        ...authorIn(found.chat, caller.user),
        position: body.position ?? null,
        busy_behavior: body.busy_behavior ?? null,
      },
      tx,
    );
    if (queued === null) throw new Error('The queue change returned no message.');
    return { status: 200, body: presentQueuedMessage(queued) };
  },

  async deleteQueuedMessage({ found, params, tx }) {
    await store.client.deleteQueued(found.chat.id, params.queued_message_id, tx);
    return { status: 204 };
  },

  async promoteQueuedMessage({ found, params, tx }) {
    await store.client.promoteQueued(found.chat.id, params.queued_message_id, tx);
    return { status: 202 };
  },
});

/** Only the owner chooses the model, because the chat runs with their keys and budget. */
function requireModelRights(
  chat: VisibleChat,
  body: { readonly model_config_id?: unknown; readonly reasoning_effort?: unknown },
): void {
  if (body.model_config_id === undefined && body.reasoning_effort === undefined) return;
  requireRole(chat, 'owner', "chat's model");
}

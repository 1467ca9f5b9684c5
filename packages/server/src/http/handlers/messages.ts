import { readMessages } from '../../store/chat-reads.ts';
import { completeContent } from '../../store/files/message-content.ts';
import { requestedModel } from '../../store/model-configs.ts';
import type { HandlersOf } from '../call.ts';
import { decodeCursor, encodeCursor, MessageRange, rangeBehind } from '../request/cursor.ts';
import { presentChat } from '../../present/chat.ts';
import { presentMessage } from '../../present/message.ts';
import { presentQueuedMessage } from '../../present/queued-message.ts';
import { sentMessage } from '../../present/sent-message.ts';
import { presentVersions } from '../../present/versions.ts';
import { listVersions } from '../../store/queries/messages/versions.ts';
import type { Services } from '../services.ts';

export const messageHandlers = ({ store }: Services): HandlersOf<'Messages'> => ({
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
        messages: messages.map(presentMessage),
        queued_messages: queued.map(presentQueuedMessage),
        has_more: hasMore,
        next_cursor: rest && encodeCursor(rest),
      },
    };
  },

  async sendMessage({ found, body, caller, db, tx }) {
    const message = {
      busy_behavior: body.busy_behavior,
      content: await completeContent(db, caller.user.id, body.content),
      model_config_id: await requestedModel(db, body.model_config_id),
      reasoning_effort: body.reasoning_effort ?? null,
      created_by: caller.user.id,
    };
    const written = await store.client.send(found.chat.id, message, tx);
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
    const { edited, dropped } = await store.client.editMessage(
      found.chat.id,
      params.message_id,
      {
        content: await completeContent(db, caller.user.id, body.content),
        model_config_id: await requestedModel(db, body.model_config_id),
        reasoning_effort: body.reasoning_effort ?? null,
        created_by: caller.user.id,
      },
      tx,
    );
    if (edited === null) throw new Error('The edit returned no message.');
    return {
      status: 200,
      body: { message: presentMessage(edited), deleted_message_ids: [...dropped] },
    };
  },

  async regenerateAnswer({ found, params, body, db, tx }) {
    const how = {
      model_config_id: await requestedModel(db, body.model_config_id),
      reasoning_effort: body.reasoning_effort ?? null,
    };
    const { chat } = await store.client.regenerate(found.chat.id, params.message_id, how, tx);
    return { status: 202, body: presentChat(chat) };
  },

  async listVersions({ found, db }) {
    const rows = await db.query(listVersions, { chat_id: found.chat.id });
    return { status: 200, body: { branches: presentVersions(rows), next_cursor: null } };
  },

  async selectVersion({ found, params, tx }) {
    const { chat } = await store.client.selectVersion(found.chat.id, params.version_id, tx);
    return { status: 200, body: presentChat(chat) };
  },

  async updateQueuedMessage({ found, params, body, caller, db, tx }) {
    const content =
      body.content === undefined ? null : await completeContent(db, caller.user.id, body.content);
    const { queued } = await store.client.editQueued(
      found.chat.id,
      {
        id: params.queued_message_id,
        content,
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

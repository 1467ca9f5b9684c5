import { type RequestedChat, closing, type NewChat } from '../../chat/new-chat.ts';
import { Refused } from '../../chat/refused.ts';
import type { ChatRow, MessageRow } from '../../chat/row.ts';
import type { NewMessage } from '../../chat/writes.ts';
import { toJson } from '../json.ts';
import { noModel } from '../model-configs.ts';
import { createChat, insertChat } from '../queries/chats/create.ts';
import { findChat } from '../queries/chats/find.ts';
import { UNSTORED } from '../queries/chats/purge.ts';
import { findMessage } from '../queries/messages/read.ts';
import { chooseModelConfig } from '../queries/model-configs.ts';
import { messageRecords } from '../queries/messages/records.ts';
import { copyMessages, insertMessages } from '../queries/messages/write.ts';
import { onlyRow } from '../statement.ts';
import { afterCommit } from '../transaction-scope.ts';
import type { Transaction } from '../transaction.ts';
import type { TransitionExecutor } from './transition-executor.ts';
import { claiming } from './claim.ts';
import { asRows } from './write.ts';

/** Creates chats, with a first message or as a copy of a history. */
export class ChatCreation {
  readonly #executor: TransitionExecutor;

  constructor(executor: TransitionExecutor) {
    this.#executor = executor;
  }

  create(chat: NewChat, tx: Transaction): Promise<ChatRow> {
    const message = {
      role: 'user' as const,
      content: chat.content,
      created_by: chat.owner_id,
      model_config_id: chat.model_config_id,
    };
    return this.#insert(tx, chat, 'running', async () => {
      await tx.query(insertMessages, {
        chat_id: chat.id,
        revision: 1,
        messages: messageRecords([message]).json,
      });
    });
  }

  /** In one statement, which is its own transaction without `tx`. */
  async createRequested(
    asked: RequestedChat,
    tx: Transaction | undefined,
  ): Promise<{ readonly chat: ChatRow; readonly messages: readonly MessageRow[] }> {
    const message = { role: 'user' as const, content: asked.content, created_by: asked.owner_id };
    const records = messageRecords([message]);
    const created = await claiming(this.#executor.reserveRun(asked.owner_id), tx, (claim) =>
      (tx ?? this.#executor.database).query(createChat, {
        ...asked,
        ...claim,
        project_id: asked.project_id ?? null,
        trigger_id: asked.trigger_id ?? null,
        labels: toJson(asked.labels),
        dynamic_tools: toJson(asked.dynamic_tools),
        messages: records.json,
      }),
    );
    if (created === undefined) throw noModel(asked.model_config_id);
    const { claimed, start } = created;
    const { message_id: id, message_created_at: created_at, approvals: _, ...chat } = created.row;
    const { model_config_id } = chat;
    const first = records.messages.map((one) => ({ ...one, model_config_id }));
    const messages = asRows(chat.id, 1, first, [{ id, created_at }]);
    afterCommit(tx, () => {
      this.#executor.publish('create', chat, { entered: { from: 0, to: 1, messages }, claimed });
      start(chat);
    });
    return { chat, messages };
  }

  /** With the history of a conversation. A running chat continues after its last message. */
  async createWithHistory(
    chat: Omit<NewChat, 'content'>,
    status: 'running' | 'waiting',
    history: readonly NewMessage[],
    tx: Transaction,
  ): Promise<{ readonly chat: ChatRow; readonly messages: readonly MessageRow[] }> {
    const records = messageRecords(history);
    let messages: MessageRow[] = [];
    const row = await this.#insert(tx, chat, status, async () => {
      const written =
        history.length === 0
          ? []
          : await tx.query(insertMessages, {
              chat_id: chat.id,
              revision: 1,
              messages: records.json,
            });
      messages = asRows(chat.id, 1, records.messages, written);
    });
    return { chat: row, messages };
  }

  /** Copies the history up to and including a message, without workspace, parent and queue. The owner must be able to use the model. */
  async fork(
    original: ChatRow,
    messageId: number,
    copy: {
      readonly id: string;
      readonly owner_id: string;
      readonly model_config_id?: string;
      readonly workspace_id?: string;
    },
    tx: Transaction,
  ): Promise<ChatRow> {
    const [message] = await tx.query(findMessage, { chat_id: original.id, id: messageId });
    if (message === undefined || message.hidden) {
      throw new Refused('unknown_message', `Message ${messageId} does not exist in this chat.`);
    }
    const { owner_id, model_config_id = original.model_config_id } = copy;
    const [model] = await tx.query(chooseModelConfig, { model_config_id, owner_id });
    if (model === undefined) {
      throw new Refused(
        'unknown_model_config',
        'The model of this chat is disabled, or restricted to groups. Choose another model for the chat, then fork it.',
      );
    }
    const { [UNSTORED.name]: _, ...labels } = original.labels;
    const chat = {
      ...original,
      ...copy,
      labels,
      title: `${original.title} (fork)`,
      title_source: 'user' as const,
      workspace_id: copy.workspace_id ?? null,
      project_id: await this.#projectOf(original, tx),
      parent: null,
    };
    return this.#insert(tx, chat, 'waiting', async () => {
      const copied = await tx.query(copyMessages, {
        from_chat_id: original.id,
        chat_id: copy.id,
        last_id: messageId,
      });
      const answers = closing(copied, this.#executor.now());
      if (answers.length > 0) {
        await tx.query(insertMessages, {
          chat_id: copy.id,
          revision: 1,
          messages: messageRecords(answers).json,
        });
      }
    });
  }

  /** A subagent belongs to the project of its root chat. */
  async #projectOf({ project_id, root_chat_id }: ChatRow, tx: Transaction): Promise<string | null> {
    if (root_chat_id === null) return project_id;
    const [root] = await tx.query(findChat, { id: root_chat_id });
    return root?.project_id ?? null;
  }

  async #insert(
    tx: Transaction,
    chat: Omit<NewChat, 'content'>,
    status: 'running' | 'waiting',
    fill: () => Promise<void>,
  ): Promise<ChatRow> {
    // No other process knows the chat yet, so there is no lock to wait for.
    const [rows] = await Promise.all([
      tx.query(insertChat, {
        ...chat,
        status,
        project_id: chat.project_id ?? null,
        labels: toJson(chat.labels),
        dynamic_tools: toJson(chat.dynamic_tools),
        parent_chat_id: chat.parent?.id ?? null,
        root_chat_id: chat.parent === null ? null : (chat.parent.root_chat_id ?? chat.parent.id),
        agent_type: chat.agent?.type ?? null,
        spawned_by_call: chat.agent?.call ?? null,
      }),
      fill(),
    ]);
    const row = onlyRow(rows);
    tx.afterCommit(() => this.#executor.publish('create', row));
    return row;
  }
}

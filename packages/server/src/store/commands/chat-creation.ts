import { type AskedChat, closing, type NewChat } from '../../chat/new-chat.ts';
import { Refused } from '../../chat/refused.ts';
import type { ChatRow } from '../../chat/row.ts';
import { toJson } from '../json.ts';
import { noModel } from '../model-configs.ts';
import { createChat, insertChat } from '../queries/chats/create.ts';
import { findMessage } from '../queries/messages/read.ts';
import { messageRecords } from '../queries/messages/records.ts';
import { copyMessages, insertMessages } from '../queries/messages/write.ts';
import { onlyRow } from '../statement.ts';
import type { Transaction } from '../transaction.ts';
import type { Machine } from './transition-executor.ts';
import { asRows } from './write.ts';

/** How chats come to be: with a first message, or as a copy of another's history. */
export class ChatBirths {
  readonly #machine: Machine;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  create(chat: NewChat, tx: Transaction): Promise<ChatRow> {
    const message = {
      role: 'user' as const,
      content: chat.content,
      created_by: chat.owner_id,
      model_config_id: chat.model_config_id,
    };
    return this.#insert(tx, chat, 'running', async () => {
      await tx.query(insertMessages, [
        chat.id,
        1,
        null,
        null,
        null,
        messageRecords([message]).json,
      ]);
    });
  }

  /** In one statement, which commits by itself unless it is part of a transaction. */
  async createAsked(asked: AskedChat, tx: Transaction | undefined): Promise<ChatRow> {
    const message = { role: 'user' as const, content: asked.content, created_by: asked.owner_id };
    const records = messageRecords([message]);
    const [created] = await (tx ?? this.#machine.database).query(createChat, [
      asked.model_config_id,
      asked.id,
      asked.owner_id,
      asked.title,
      toJson(asked.labels),
      asked.plan_mode,
      asked.reasoning_effort,
      asked.system_prompt,
      asked.mcp_server_ids,
      toJson(asked.dynamic_tools),
      asked.workspace_id,
      records.json,
      asked.title_source,
    ]);
    if (created === undefined) throw noModel(asked.model_config_id);
    const { message_id: id, message_created_at: created_at, ...chat } = created;
    const { model_config_id } = chat;
    const first = records.messages.map((one) => ({ ...one, model_config_id }));
    const messages = asRows(chat.id, 1, first, [{ id, created_at }]);
    const publish = () =>
      this.#machine.publish('create', chat, { entered: { from: 0, to: 1, messages } });
    if (tx === undefined) publish();
    else tx.afterCommit(publish);
    return chat;
  }

  /** No workspace, no parent, no queue, nothing running: only what was said, up to and with that message. */
  async fork(
    original: ChatRow,
    messageId: number,
    copy: { readonly id: string; readonly owner_id: string },
    tx: Transaction,
  ): Promise<ChatRow> {
    const [message] = await tx.query(findMessage, [original.id, messageId]);
    if (message === undefined || message.hidden) {
      throw new Refused('unknown_message', `There is no message ${messageId} in this chat.`);
    }
    const chat = {
      ...original,
      ...copy,
      title: `${original.title} (fork)`,
      title_source: 'user' as const,
      workspace_id: null,
      parent: null,
    };
    return this.#insert(tx, chat, 'waiting', async () => {
      const copied = await tx.query(copyMessages, [original.id, copy.id, messageId]);
      const answers = closing(copied, this.#machine.now());
      if (answers.length > 0) {
        await tx.query(insertMessages, [
          copy.id,
          1,
          null,
          null,
          null,
          messageRecords(answers).json,
        ]);
      }
    });
  }

  async #insert(
    tx: Transaction,
    chat: Omit<NewChat, 'content'>,
    status: 'running' | 'waiting',
    fill: () => Promise<void>,
  ): Promise<ChatRow> {
    // Nobody else can know the chat yet: there is nothing to lock, and no answer to wait for in between.
    const [rows] = await Promise.all([
      tx.query(insertChat, [
        chat.id,
        chat.owner_id,
        status,
        chat.title,
        toJson(chat.labels),
        chat.plan_mode,
        chat.model_config_id,
        chat.reasoning_effort,
        chat.system_prompt,
        toJson(chat.dynamic_tools),
        chat.mcp_server_ids,
        chat.workspace_id,
        chat.parent?.id ?? null,
        chat.parent === null ? null : (chat.parent.root_chat_id ?? chat.parent.id),
        chat.title_source,
        chat.agent?.type ?? null,
        chat.agent?.call ?? null,
      ]),
      fill(),
    ]);
    const row = onlyRow(rows);
    tx.afterCommit(() => this.#machine.publish('create', row));
    return row;
  }
}

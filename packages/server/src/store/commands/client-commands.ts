import { descendants } from '../../chat/descendants.ts';
import type { CommandName } from '../../chat/moves.ts';
import { Refused } from '../../chat/refused.ts';
import type { ChatRow } from '../../chat/row.ts';
import { deleteQueued } from '../../chat/transitions/delete-queued.ts';
import { editMessage, type MessageEdit } from '../../chat/transitions/edit-message.ts';
import { editQueued, type QueuedEdit } from '../../chat/transitions/edit-queued.ts';
import { interrupt } from '../../chat/transitions/interrupt.ts';
import { regenerate, type Regeneration } from '../../chat/transitions/regenerate.ts';
import { selectVersion } from '../../chat/transitions/select-version.ts';
import { promoteQueued } from '../../chat/transitions/promote-queued.ts';
import { requestCompaction } from '../../chat/transitions/request-compaction.ts';
import { send, SEND_COMMAND } from '../../chat/transitions/send.ts';
import { setArchived } from '../../chat/transitions/set-archived.ts';
import { setDeleted } from '../../chat/transitions/set-deleted.ts';
import { submitToolResults, type ToolResult } from '../../chat/transitions/submit-tool-results.ts';
import { type ChatChanges, update } from '../../chat/transitions/update.ts';
import type { NewQueued } from '../../chat/writes.ts';
import { readVersionOf } from '../chat-reads.ts';
import { familyOfChat } from '../queries/chats/family.ts';
import { sendToIdleChat } from '../queries/chats/send.ts';
import {
  answeredSinceSummary,
  findMessage,
  messageBefore,
  questionOf,
} from '../queries/messages/read.ts';
import { messageRecords } from '../queries/messages/records.ts';
import { findVersion } from '../queries/messages/versions.ts';
import { onlyRow } from '../statement.ts';
import { afterCommit } from '../transaction-scope.ts';
import type { Transaction } from '../transaction.ts';
import type { PlanTransition, TransitionExecutor } from './transition-executor.ts';
import { claiming } from './claim.ts';
import { asRows, NOTHING_WRITTEN, type Written } from './write.ts';

/** The point before the first message. */
const BEGINNING = { id: 0, revision: 0 };

/** Commands of clients. Each uses the transaction of the caller, or its own. */
export class ClientCommands {
  readonly #executor: TransitionExecutor;

  constructor(executor: TransitionExecutor) {
    this.#executor = executor;
  }

  /** `ownerId`: of the chat, if the sender does not own it. */
  async send(
    chatId: string,
    message: NewQueued,
    tx?: Transaction,
    ownerId: string | null = message.created_by,
  ): Promise<Written> {
    const command = SEND_COMMAND[message.busy_behavior];
    const sent = await this.#sendToIdle(command, chatId, message, tx, ownerId);
    if (sent !== undefined) return sent;
    const plan: PlanTransition = (chat) => send(chat, message, this.#executor.now());
    return await (message.busy_behavior === 'interrupt'
      ? this.#interrupting(command, chatId, plan, tx)
      : this.#executor.perform(command, chatId, plan, tx));
  }

  editMessage(
    chatId: string,
    messageId: number,
    edit: MessageEdit,
    tx?: Transaction,
  ): Promise<Written> {
    const plan: PlanTransition = async (chat, tx) => {
      const at = { chat_id: chatId, id: messageId };
      const [[target], [before]] = await Promise.all([
        tx.query(findMessage, at),
        tx.query(messageBefore, at),
      ]);
      return editMessage(chat, target ?? null, before ?? BEGINNING, edit);
    };
    return this.#interrupting('edit_message', chatId, plan, tx);
  }

  /** `messageId`: a user message, or a message of its answer. */
  regenerate(
    chatId: string,
    messageId: number,
    how: Regeneration,
    tx?: Transaction,
  ): Promise<Written> {
    const plan: PlanTransition = async (chat, tx) => {
      const [question] = await tx.query(questionOf, { chat_id: chatId, id: messageId });
      return regenerate(chat, question ?? null, how);
    };
    return this.#interrupting('regenerate', chatId, plan, tx);
  }

  selectVersion(chatId: string, versionId: number, tx?: Transaction): Promise<Written> {
    const plan: PlanTransition = async (_, tx) => {
      const [found] = await tx.query(findVersion, { chat_id: chatId, id: versionId });
      const version = found && {
        id: found.id,
        after: { id: found.after_id, revision: found.after_revision },
        isCurrent: found.is_current,
        openCalls: found.open_calls,
        interrupted: found.interrupted,
      };
      return selectVersion(version ?? null, this.#executor.now());
    };
    return this.#executor.perform('select_version', chatId, plan, tx);
  }

  editQueued(chatId: string, edit: QueuedEdit, tx?: Transaction): Promise<Written> {
    return this.#executor.perform('edit_queued', chatId, (chat) => editQueued(chat, edit), tx);
  }

  deleteQueued(chatId: string, id: number, tx?: Transaction): Promise<Written> {
    return this.#executor.perform('delete_queued', chatId, (chat) => deleteQueued(chat, id), tx);
  }

  promoteQueued(chatId: string, id: number, tx?: Transaction): Promise<Written> {
    const plan: PlanTransition = (chat) => promoteQueued(chat, id, this.#executor.now());
    return this.#interrupting('promote_queued', chatId, plan, tx);
  }

  interrupt(chatId: string, tx?: Transaction): Promise<Written> {
    const plan: PlanTransition = (chat) => interrupt(chat, this.#executor.now());
    return this.#interrupting('interrupt', chatId, plan, tx);
  }

  submitToolResults(
    chatId: string,
    results: readonly ToolResult[],
    tx?: Transaction,
  ): Promise<Written> {
    return this.#executor.perform(
      'submit_tool_results',
      chatId,
      (chat) => submitToolResults(chat, results, this.#executor.now()),
      tx,
    );
  }

  requestCompaction(chatId: string, tx?: Transaction): Promise<Written> {
    return this.#executor.perform(
      'request_compaction',
      chatId,
      async (chat, tx) => {
        const { answered } = onlyRow(await tx.query(answeredSinceSummary, { chat_id: chatId }));
        return requestCompaction(chat, { answeredSinceSummary: answered }, this.#executor.now());
      },
      tx,
    );
  }

  update(chatId: string, changes: ChatChanges, tx?: Transaction): Promise<Written> {
    return this.#executor.perform('update', chatId, (chat) => update(chat, changes), tx);
  }

  /** Sets a generated title, unless the title has changed since `from`. */
  retitle(
    chatId: string,
    from: Pick<ChatRow, 'title' | 'title_source'>,
    title: string,
  ): Promise<Written> {
    return this.#executor.perform('update', chatId, (chat) => {
      const untouched = chat.title === from.title && chat.title_source === from.title_source;
      return untouched ? update(chat, { title, title_source: 'model' }) : {};
    });
  }

  markRead(chatId: string, messageId: number, tx?: Transaction): Promise<Written> {
    return this.#executor.perform(
      'update',
      chatId,
      async (chat, tx) => {
        const version = await readVersionOf(tx, chat, messageId);
        return update(chat, { read_version: Math.max(chat.read_version, version) });
      },
      tx,
    );
  }

  setArchived(chatId: string, archived: boolean, tx?: Transaction): Promise<Written> {
    return this.#executor.performOnFamily(
      archived ? 'archive' : 'unarchive',
      chatId,
      (chat) => setArchived(chat, archived),
      tx,
    );
  }

  delete(chatId: string, tx?: Transaction): Promise<Written> {
    return this.#executor.performOnFamily('delete', chatId, () => setDeleted(true), tx);
  }

  restore(chatId: string, tx?: Transaction): Promise<Written> {
    return this.#executor.performOnFamily('restore', chatId, () => setDeleted(false), tx);
  }

  /** One statement, which is its own transaction without `tx`. Undefined: it wrote nothing. */
  async #sendToIdle(
    command: CommandName,
    chatId: string,
    { content, created_by, author, model_config_id, reasoning_effort }: NewQueued,
    tx: Transaction | undefined,
    ownerId: string | null,
  ): Promise<Written | undefined> {
    const meta = typeof author === 'string' ? { meta: { author } } : {};
    const records = messageRecords([{ role: 'user', content, created_by, ...meta }]);
    const reserved = ownerId === null ? undefined : this.#executor.reserveRun(ownerId);
    const sent = await claiming(reserved, tx, (claim) =>
      (tx ?? this.#executor.database).query(sendToIdleChat, {
        chat_id: chatId,
        owner_id: ownerId,
        model_config_id,
        reasoning_effort,
        messages: records.json,
        ...claim,
      }),
    );
    if (sent === undefined) return undefined;
    const { claimed, start } = sent;
    const {
      previous_version,
      message_id: id,
      message_created_at: created_at,
      approvals: _,
      ...chat
    } = sent.row;
    const { history_version } = chat;
    const entering = records.messages.map((one) => ({
      ...one,
      model_config_id: chat.model_config_id,
    }));
    const messages = asRows(chatId, history_version, entering, [{ id, created_at }]);
    afterCommit(tx, () => {
      this.#executor.publish(command, chat, {
        ...(previous_version !== null && {
          entered: { from: previous_version, to: history_version, messages },
        }),
        claimed,
      });
      start(chat);
    });
    return { ...NOTHING_WRITTEN, chat, messages };
  }

  /** Interrupts the turns of all descendants in the same transaction. */
  async #interrupting(
    command: CommandName,
    chatId: string,
    plan: PlanTransition,
    outer?: Transaction,
  ): Promise<Written> {
    const work = async (tx: Transaction) => {
      let wasBusy = false;
      const decide: PlanTransition = (chat, tx) => {
        wasBusy = chat.status === 'running' || chat.status === 'requires_action';
        return plan(chat, tx);
      };
      const written = await this.#executor.perform(command, chatId, decide, tx);
      if (wasBusy) await this.#interruptBelow(written.chat, tx);
      return written;
    };
    return await (outer === undefined ? this.#executor.database.transaction(work) : work(outer));
  }

  async #interruptBelow({ id, root_chat_id }: ChatRow, tx: Transaction): Promise<void> {
    const family = await tx.query(familyOfChat, { root_id: root_chat_id ?? id });
    for (const member of descendants(id, family).filter(({ busy }) => busy)) {
      try {
        const plan: PlanTransition = (chat) => interrupt(chat, this.#executor.now());
        const { chat } = await this.#executor.perform('interrupt', member.id, plan, tx);
        // The first interrupt cancels awaited calls, and the turn would continue.
        if (chat.status === 'running') {
          await this.#executor.perform('interrupt', member.id, plan, tx);
        }
      } catch (error) {
        // The turn has ended meanwhile.
        if (!(error instanceof Refused)) throw error;
      }
    }
  }
}

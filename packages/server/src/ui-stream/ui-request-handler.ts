import { Answer, Content, type InputPart, type ReasoningEffort } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import type { ChatRow, StoredPart } from '../chat/row.ts';
import { authorIn, type Sender } from '../chat/author.ts';
import type { Written } from '../store/commands/write.ts';
import { completeContent } from '../store/files/message-content.ts';
import { requestedModel } from '../store/model-configs.ts';
import { findChat } from '../store/queries/chats/find.ts';
import { messagesBefore } from '../store/queries/messages/read.ts';
import { onlyRow } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { beginnings } from './find-turn.ts';
import { type Intent, intentOf, InvalidPost, type Posted, type PostedPart } from './posted.ts';
import type { UiTurnOptions } from './ui-turn.ts';

export interface UiRequest extends Posted {
  readonly busy_behavior: 'queue' | 'steer' | 'interrupt';
  readonly model_config_id?: string | undefined;
  readonly reasoning_effort?: ReasoningEffort | undefined;
}

/** The turn to stream. */
export interface Received extends Pick<UiTurnOptions, 'begins' | 'steps'> {
  readonly chat: ChatRow;
  /** The stream starts after this message. */
  readonly after: number;
}

type Answering = Extract<Intent, { kind: 'answer' }>;

/** Handles the messages that a front end of the AI SDK posts. */
export class UiRequestHandler {
  readonly #store: Store;
  readonly #user: Sender;

  constructor(store: Store, user: Sender) {
    this.#store = store;
    this.#user = user;
  }

  async receive(chat: ChatRow, asked: UiRequest): Promise<Received> {
    const intent = understood(asked);
    if (intent.kind === 'answer') return await this.#answer(chat, intent);
    // Before the transaction: storing files may take long. A file whose message is refused is purged as unused.
    const parts = intent.kind === 'regenerate' ? [] : await this.#storeFiles(intent.content);
    return await this.#store.database.transaction(async (tx) => {
      const options = {
        model_config_id: await requestedModel(tx, asked.model_config_id, chat.owner_id),
        reasoning_effort: asked.reasoning_effort ?? null,
        ...authorIn(chat, this.#user),
      };
      const { client } = this.#store;
      if (intent.kind === 'send') {
        const [newest] = await tx.query(messagesBefore, {
          chat_id: chat.id,
          before_id: null,
          limit: 1,
        });
        const content = await this.#content(tx, chat.id, parts);
        const { busy_behavior } = asked;
        const message = { ...options, content, busy_behavior };
        return sent(await client.send(chat.id, message, tx, chat.owner_id), newest?.id ?? 0);
      }
      const target = (await beginnings(tx, chat.id))[intent.index];
      if (target === undefined) {
        throw new Refused('unknown_message', 'The chat has fewer user messages than you sent.');
      }
      const { id } = target;
      const written =
        intent.kind === 'regenerate'
          ? await client.regenerate(chat.id, id, options, tx)
          : await client.editMessage(
              chat.id,
              id,
              { ...options, content: await this.#content(tx, chat.id, parts) },
              tx,
            );
      return { chat: written.chat, begins: { message: id }, steps: 0, after: id - 1 };
    });
  }

  async #storeFiles(parts: readonly PostedPart[]): Promise<InputPart[]> {
    const stored: InputPart[] = [];
    for (const part of parts) {
      if (part.type !== 'new-file') stored.push(part);
      else {
        const { bytes: data, mediaType: media_type, name } = part;
        const file = await this.#store.files.store(this.#user.id, { data, media_type, name });
        stored.push({ type: 'file', file_id: file.id });
      }
    }
    return stored;
  }

  async #content(
    tx: Transaction,
    chatId: string,
    parts: readonly InputPart[],
  ): Promise<StoredPart[]> {
    const content = Content.safeParse(parts);
    if (!content.success) throw new Refused('invalid_content', 'The message is empty or blank.');
    return await completeContent(tx, this.#user.id, content.data, chatId);
  }

  /** Takes the tool outputs, decisions and answers that the chat awaits. */
  async #answer(chat: ChatRow, { outputs, approvals, turn, steps }: Answering): Promise<Received> {
    const { client } = this.#store;
    const awaited = (kind: string) =>
      new Set(
        chat.open_calls.filter((call) => call.kind === kind).map((call) => call.tool_call_id),
      );
    const [dynamic, question, approval] = [
      awaited('dynamic'),
      awaited('question'),
      awaited('approval'),
    ];
    const results = outputs.filter(({ toolCallId }) => dynamic.has(toolCallId));
    if (results.length > 0) {
      const given = results.map(({ toolCallId, output, isError }) => ({
        tool_call_id: toolCallId,
        output,
        ...(isError && { is_error: true }),
      }));
      await client.submitToolResults(chat.id, given);
    }
    const decisions = approvals
      .filter(({ toolCallId }) => approval.has(toolCallId))
      .map(({ toolCallId, approved, reason }) => ({
        tool_call_id: toolCallId,
        decision: approved ? ('allow' as const) : ('deny' as const),
        reason,
      }));
    if (decisions.length > 0) {
      const { id } = this.#user;
      await this.#store.approvals.decide(chat, decisions, undefined, undefined, id);
    }
    for (const { toolCallId, output } of outputs) {
      if (!question.has(toolCallId)) continue;
      const answer = Answer.safeParse(output);
      if (!answer.success)
        throw new Refused('invalid_answer', 'The answer is not valid for this question.');
      await this.#store.approvals.answer(chat.id, toolCallId, answer.data);
    }
    if (turn === undefined) throw new Refused('unknown_message', UNKNOWN_REPLY);
    const now = onlyRow(await this.#store.database.query(findChat, { id: chat.id }));
    return { chat: now, begins: { message: turn }, steps, after: turn - 1 };
  }
}

const UNKNOWN_REPLY =
  'The last message does not belong to this chat. Keep the message ids from its streams.';

function understood(asked: Posted): Intent {
  try {
    return intentOf(asked);
  } catch (error) {
    if (error instanceof InvalidPost) throw new Refused('invalid_content', error.message);
    throw error;
  }
}

function sent({ chat, queued, messages }: Written, after: number): Received {
  if (queued !== null) return { chat, begins: { queued: queued.id }, steps: 0, after };
  const message = messages.findLast(
    ({ role, queued_message_id }) => role === 'user' && queued_message_id === null,
  );
  if (message === undefined)
    throw new Error('A message was neither queued nor added to the history.');
  return { chat, begins: { message: message.id }, steps: 0, after };
}

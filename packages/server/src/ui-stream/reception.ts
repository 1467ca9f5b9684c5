import { Answer, Content, type InputPart, type ReasoningEffort } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import type { ChatRow, StoredPart } from '../chat/row.ts';
import { completeContent } from '../store/files/message-content.ts';
import { modelIfAsked } from '../store/model-configs.ts';
import { findOwnChat } from '../store/queries/chats/find.ts';
import { messagesBefore } from '../store/queries/messages/read.ts';
import { onlyRow } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { Written } from '../store/commands/write.ts';
import { beginnings } from './find-turn.ts';
import { type Intent, intentOf, type Posted, type PostedPart, Unintelligible } from './posted.ts';
import type { UiTurnOptions } from './ui-turn.ts';

export interface Asked extends Posted {
  readonly busy_behavior: 'queue' | 'steer' | 'interrupt';
  readonly model_config_id?: string | undefined;
  readonly reasoning_effort?: ReasoningEffort | undefined;
}

/** What is to be followed now. */
export interface Received extends Pick<UiTurnOptions, 'begins' | 'steps'> {
  readonly chat: ChatRow;
  /** Messages up to this one need not be looked at. */
  readonly after: number;
}

type Answering = Extract<Intent, { kind: 'answer' }>;

/** Does what a front end of the AI SDK asks for by posting its messages. */
export class Reception {
  readonly #store: Store;
  readonly #userId: string;

  constructor(store: Store, userId: string) {
    this.#store = store;
    this.#userId = userId;
  }

  async receive(chat: ChatRow, asked: Asked): Promise<Received> {
    const intent = understood(asked);
    if (intent.kind === 'answer') return await this.#answer(chat, intent);
    // Before the transaction: storing files may take long. A file whose message is refused is purged as unused.
    const parts = intent.kind === 'regenerate' ? [] : await this.#storeFiles(intent.content);
    return await this.#store.database.transaction(async (tx) => {
      const options = {
        model_config_id: await modelIfAsked(tx, asked.model_config_id),
        reasoning_effort: asked.reasoning_effort ?? null,
        created_by: this.#userId,
      };
      const { client } = this.#store;
      if (intent.kind === 'send') {
        const [newest] = await tx.query(messagesBefore, {
          chat_id: chat.id,
          before_id: null,
          limit: 1,
        });
        const content = await this.#content(tx, parts);
        const { busy_behavior } = asked;
        const message = { ...options, content, busy_behavior };
        return sent(await client.send(chat.id, message, tx), newest?.id ?? 0);
      }
      const target = (await beginnings(tx, chat.id))[intent.index];
      if (target === undefined) {
        throw new Refused('unknown_message', 'The chat does not have so many messages of yours.');
      }
      const content = intent.kind === 'edit' ? await this.#content(tx, parts) : [...target.content];
      const edit = { ...options, content };
      const written = await client.editMessage(chat.id, target.id, edit, tx);
      const turn = written.edited?.id ?? target.id;
      return { chat: written.chat, begins: { message: turn }, steps: 0, after: turn - 1 };
    });
  }

  async #storeFiles(parts: readonly PostedPart[]): Promise<InputPart[]> {
    const stored: InputPart[] = [];
    for (const part of parts) {
      if (part.type !== 'new-file') stored.push(part);
      else {
        const { bytes: data, mediaType: media_type, name } = part;
        const file = await this.#store.files.store(this.#userId, { data, media_type, name });
        stored.push({ type: 'file', file_id: file.id });
      }
    }
    return stored;
  }

  async #content(tx: Transaction, parts: readonly InputPart[]): Promise<StoredPart[]> {
    const content = Content.safeParse(parts);
    if (!content.success) throw new Refused('invalid_content', 'The message is empty or blank.');
    return await completeContent(tx, this.#userId, content.data);
  }

  /** Outputs of the client's tools, decisions and answers, as far as the chat awaits them. */
  async #answer(chat: ChatRow, { outputs, approvals, turn, steps }: Answering): Promise<Received> {
    const { client, people } = this.#store;
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
      .map(({ toolCallId, approved }) => ({
        tool_call_id: toolCallId,
        decision: approved ? ('allow' as const) : ('deny' as const),
      }));
    if (decisions.length > 0) await people.decide(chat, decisions);
    for (const { toolCallId, output } of outputs) {
      if (!question.has(toolCallId)) continue;
      const answer = Answer.safeParse(output);
      if (!answer.success) throw new Refused('invalid_answer', 'This answers no question.');
      await people.answer(chat.id, toolCallId, answer.data);
    }
    if (turn === undefined) throw new Refused('unknown_message', UNKNOWN_REPLY);
    const now = onlyRow(
      await this.#store.database.query(findOwnChat, { id: chat.id, owner_id: chat.owner_id }),
    );
    return { chat: now, begins: { message: turn }, steps, after: turn - 1 };
  }
}

const UNKNOWN_REPLY =
  'The last message is not one of this chat: keep the ids that its streams give to messages.';

function understood(asked: Posted): Intent {
  try {
    return intentOf(asked);
  } catch (error) {
    if (error instanceof Unintelligible) throw new Refused('invalid_content', error.message);
    throw error;
  }
}

function sent({ chat, queued, messages }: Written, after: number): Received {
  if (queued !== null) return { chat, begins: { queued: queued.id }, steps: 0, after };
  const message = messages.findLast(
    ({ role, queued_message_id }) => role === 'user' && queued_message_id === null,
  );
  if (message === undefined) throw new Error('a message was sent and went nowhere');
  return { chat, begins: { message: message.id }, steps: 0, after };
}

import { Answer, type ReasoningEffort } from '@chatd/protocol';
import { foundRow, Refused } from '../chat/refused.ts';
import type { ChatRow } from '../chat/row.ts';
import { authorIn, type Sender } from '../chat/author.ts';
import { submitAnswers } from '../protocols/call-answers.ts';
import { storedContent, storeFiles } from '../protocols/input-files.ts';
import type { Written } from '../store/commands/write.ts';
import { requestedModel } from '../store/model-configs.ts';
import { findChat } from '../store/queries/chats/find.ts';
import { messagesBefore } from '../store/queries/messages/read.ts';
import type { Store } from '../store/store.ts';
import { beginnings } from './find-turn.ts';
import { type Intent, intentOf, InvalidPost, type Posted } from './posted.ts';
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
    const posted = intent.kind === 'regenerate' ? [] : intent.content;
    const parts = await storeFiles(this.#store, this.#user.id, posted);
    return await this.#store.database.transaction(async (tx) => {
      const options = {
        model_config_id: await requestedModel(tx, asked.model_config_id, chat.owner_id),
        reasoning_effort: asked.reasoning_effort ?? null,
        ...authorIn(chat, this.#user),
      };
      const { client } = this.#store;
      const contentOf = () => storedContent(tx, this.#user.id, parts, { chatId: chat.id });
      if (intent.kind === 'send') {
        const [newest] = await tx.query(messagesBefore, {
          chat_id: chat.id,
          before_id: null,
          limit: 1,
        });
        const content = await contentOf();
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
          : await client.editMessage(chat.id, id, { ...options, content: await contentOf() }, tx);
      return { chat: written.chat, begins: { message: id }, steps: 0, after: id - 1 };
    });
  }

  /** Takes the tool outputs, decisions and answers that the chat awaits. */
  async #answer(chat: ChatRow, { outputs, approvals, turn, steps }: Answering): Promise<Received> {
    const kinds = new Map(chat.open_calls.map(({ tool_call_id, kind }) => [tool_call_id, kind]));
    const given = {
      results: outputs
        .filter(({ toolCallId }) => kinds.get(toolCallId) === 'dynamic')
        .map(({ toolCallId, output, isError }) => ({
          tool_call_id: toolCallId,
          output,
          ...(isError && { is_error: true }),
        })),
      decisions: approvals
        .filter(({ toolCallId }) => kinds.get(toolCallId) === 'approval')
        .map(({ toolCallId, approved, reason }) => ({
          tool_call_id: toolCallId,
          decision: approved ? ('allow' as const) : ('deny' as const),
          reason,
        })),
      answers: outputs
        .filter(({ toolCallId }) => kinds.get(toolCallId) === 'question')
        .map(({ toolCallId, output }) => {
          const answer = Answer.safeParse(output);
          if (answer.success) return { callId: toolCallId, answer: answer.data };
          throw new Refused('invalid_answer', 'The answer is not valid for this question.');
        }),
    };
    await submitAnswers(this.#store, chat, this.#user.id, given);
    if (turn === undefined) throw new Refused('unknown_message', UNKNOWN_REPLY);
    const now = foundRow(await this.#store.database.query(findChat, { id: chat.id }));
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

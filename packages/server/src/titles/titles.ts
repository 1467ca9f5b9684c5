import {
  type Clock,
  MemoryHistory,
  pushModel,
  runTurn,
  ShuttingDown,
  systemClock,
} from '@chatd/loop';
import type { Logger } from 'pino';
import type { ChatRow } from '../chat/row.ts';
import type { ModelCall } from '../chat/writes.ts';
import type { ChatModel, Models } from '../providers/models.ts';
import { recordCall } from '../store/accounting/record-call.ts';
import { findChat } from '../store/queries/chats/find.ts';
import { titleExcerpt } from '../store/queries/messages/title-excerpt.ts';
import type { Store } from '../store/store.ts';
import { checkedModel } from '../worker/checked-model.ts';
import { type Instruments, NO_INSTRUMENTS } from '../worker/instruments.ts';
import { cleanTitle } from './clean-title.ts';
import { TITLE_INSTRUCTIONS } from '../providers/title-instructions.ts';
import { titleRequest } from './title-request.ts';

export interface TitlesOptions {
  readonly store: Store;
  readonly models: Pick<Models, 'forTitle'>;
  readonly log: Logger;
  /** Called before each model call. Throws if the user must not make it. */
  readonly beforeCall: (userId: string, configId: string) => Promise<void>;
  readonly instruments?: Pick<Instruments, 'model'>;
  readonly clock?: Clock;
  /** Max concurrent title requests. */
  readonly concurrency?: number;
}

const AT_ONCE = 4;
/** Max chats that wait for a title. Others try again after their next turn. */
const MOST_WAITING = 1000;
const LIMITS = { max_attempts: 5, startup_ms: 30_000, silence_ms: 30_000, max_steps: 1 };

/** `default`: only while the chat has its initial title. */
type Wish = 'default' | 'asked';

/**
 * Generates titles for chats in the background. Retries while the model is overloaded, and after the next turn of a chat
 * that still has its initial title.
 */
export class Titles {
  readonly #options: TitlesOptions;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  readonly #waiting = new Map<string, Wish>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: TitlesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** A turn of the chat has ended. Never throws or waits. */
  afterTurn(chat: Pick<ChatRow, 'id' | 'title_source'>): void {
    if (chat.title_source === 'first_message') this.#want(chat.id, 'default');
  }

  /** The user requests a new title. */
  regenerate(chatId: string): void {
    this.#want(chatId, 'asked');
  }

  async close(): Promise<void> {
    this.#closed.abort(new ShuttingDown());
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  #want(chatId: string, wish: Wish): void {
    if (this.#closed.signal.aborted) return;
    // A title that is being generated is not the new one that the user requests.
    if (wish === 'default' && this.#running.has(chatId)) return;
    if (this.#waiting.size >= MOST_WAITING && !this.#waiting.has(chatId)) return;
    this.#waiting.set(chatId, this.#waiting.get(chatId) === 'asked' ? 'asked' : wish);
    this.#startNext();
  }

  #startNext(): void {
    const { concurrency = AT_ONCE, log } = this.#options;
    for (const [chatId, wish] of this.#waiting) {
      if (this.#running.size >= concurrency) return;
      if (this.#running.has(chatId)) continue;
      this.#waiting.delete(chatId);
      const run = this.#make(chatId, wish)
        .catch((error: unknown) => {
          if (this.#closed.signal.aborted) return;
          log.info(
            { err: error, chat_id: chatId },
            'cannot generate a title; the chat keeps its title',
          );
        })
        .finally(() => {
          this.#running.delete(chatId);
          this.#startNext();
        });
      this.#running.set(chatId, run);
    }
  }

  async #make(chatId: string, wish: Wish): Promise<void> {
    const { store, models, log } = this.#options;
    const [chat] = await store.database.query(findChat, { id: chatId });
    if (chat === undefined || chat.deleted_at !== null) return;
    if (wish === 'default' && chat.title_source !== 'first_message') return;
    const request = titleRequest(await store.database.query(titleExcerpt, { chat_id: chatId }));
    if (request === undefined) return;
    const model = await models.forTitle(chat.model_config_id, chat.owner_id);
    const answer = await this.#ask(chat, model, request);
    const title = cleanTitle(answer);
    if (title === undefined) {
      log.info({ chat_id: chatId }, 'the model returned no title; the chat keeps its title');
      return;
    }
    await store.client.retitle(chatId, chat, title);
  }

  /** A turn of one step, so that the loop retries, limits and records the call. */
  async #ask(chat: ChatRow, given: ChatModel, request: string): Promise<string> {
    const { beforeCall, instruments = NO_INSTRUMENTS } = this.#options;
    const model = instruments.model(pushModel(given.model), { ...given, chat, purpose: 'title' });
    const history = new MemoryHistory([
      { role: 'user', content: [{ type: 'text', text: request }] },
    ]);
    const { web_search: _, ...settings } = given.settings;
    const spent: ModelCall[] = [];
    const call = { kind: 'title' as const, model_config_id: given.configId };
    try {
      const outcome = await runTurn({
        model: checkedModel(model, () => beforeCall(chat.owner_id, given.configId)),
        history,
        system: [TITLE_INSTRUCTIONS],
        settings: {
          ...settings,
          compaction_threshold: 100,
          // A title needs little reasoning.
          ...(settings.reasoning_effort && { effort: 'low' as const }),
        },
        limits: LIMITS,
        clock: this.#clock,
        signal: this.#closed.signal,
        spent: ({ usage, cost_micros = null }) =>
          spent.push({ ...call, usage, cost_micros, runtime_ms: 0 }),
      });
      if (outcome.type === 'failed') throw new Error(outcome.error.message);
    } finally {
      const answer = history.messages.at(-1);
      if (answer?.role === 'assistant') {
        const { usage = {}, cost_micros = null, runtime_ms = 0 } = answer;
        spent.push({ ...call, usage, cost_micros, runtime_ms });
      }
      for (const each of spent) await recordCall(this.#options.store.database, chat, each);
    }
    return (history.messages.at(-1)?.content ?? [])
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('');
  }
}

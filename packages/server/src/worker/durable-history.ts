import {
  begunCalls,
  type ChatFacts,
  type Episode,
  type History,
  type HistoryMessage,
  Interrupted,
  type Snapshot,
} from '@chatd/loop';
import type { AwaitedCall, ChatError, ChatStatus, Retry } from '@chatd/protocol';
import type { Fence } from '../chat/fence.ts';
import { Refused } from '../chat/refused.ts';
import type { ChatRow, MessageRow } from '../chat/row.ts';
import type { Step } from '../chat/transitions/commit-step.ts';
import type { ModelCall } from '../chat/writes.ts';
import { findChat } from '../store/queries/chats/find.ts';
import type { Committed, ChatVersions } from '../store/commands/runner-commands.ts';
import type { Store } from '../store/store.ts';
import type { LiveSink } from '../stream/live/live-sink.ts';
import type { KnownHistory } from './history-cache.ts';
import { asHistory, asNewMessage } from './history-rows.ts';
import { LostLease, ModelChanged, Obsolete, ToolsChanged } from './stop-reasons.ts';
import { untilAnswered } from './until-answered.ts';

export interface HistoryOptions {
  readonly store: Store;
  readonly sink: LiveSink;
  readonly chat: ChatRow;
  readonly known: KnownHistory;
  /** Calls were open when the chat was acquired. Another owner may have started them. */
  readonly takenOver: boolean;
  /** The acquisition began the first attempt. */
  readonly begun?: boolean;
  /** Timeout for results of dynamic tools. Null: none. */
  readonly dynamicTimeoutMs: () => Promise<number | null>;
  /** The model config that a message's model call is recorded with. */
  readonly configOf: (message: HistoryMessage) => string;
  /** The available tools have changed since the turn began. */
  readonly toolsChanged?: () => Promise<boolean>;
  /** A client interrupted the turn after a write whose response was lost. The loop must stop. */
  readonly onInterrupted: () => void;
  /** Aborted when the chat is released. Stops waiting for the database. */
  readonly signal: AbortSignal;
}

/**
 * The history of a chat for the loop: in memory, written through the store. While the database is unavailable a write
 * waits, and then finds out whether an earlier try was committed.
 */
export class DurableHistory implements History {
  readonly #options: HistoryOptions;
  readonly #chatId: string;
  readonly #messages: HistoryMessage[];
  #lastId: number;
  #facts: ChatFacts;
  #fence: Fence;
  #attempt: number;
  #status: ChatStatus;
  #snapshotVersion: number;
  #modelChanged = false;
  /** The acquisition or the last commit also began the next attempt. */
  #begunAhead: boolean;

  constructor(options: HistoryOptions) {
    const { chat, known } = options;
    if (chat.runner_id === null) throw new Error('The chat has no runner.');
    this.#options = options;
    this.#chatId = chat.id;
    this.#messages = [...known.messages];
    this.#lastId = known.lastId;
    this.#fence = { runner_id: chat.runner_id, history_version: chat.history_version };
    this.#attempt = chat.attempt;
    this.#begunAhead = options.begun === true;
    this.#status = chat.status;
    this.#snapshotVersion = chat.snapshot_version;
    this.#facts = {
      compaction_requested: chat.compaction_requested,
      approvals: Object.fromEntries(
        chat.open_calls.flatMap(({ tool_call_id, decision, reason }) =>
          decision === undefined
            ? []
            : [[tool_call_id, reason === undefined ? decision : { deny: reason }] as const],
        ),
      ),
      ...(options.takenOver && {
        maybe_started: [
          ...begunCalls(this.#messages),
          ...chat.open_calls.filter((call) => call.begun === true).map((call) => call.tool_call_id),
        ],
      }),
    };
    this.#begin();
  }

  /** The last version that was written or read. Hints about older versions are stale. */
  get snapshotVersion(): number {
    return this.#snapshotVersion;
  }

  /** `running` after the end of a turn means that the next one has begun. */
  get status(): ChatStatus {
    return this.#status;
  }

  get known(): KnownHistory {
    return {
      version: this.#fence.history_version,
      lastId: this.#lastId,
      messages: this.#messages,
    };
  }

  async read(): Promise<Snapshot> {
    if (this.#modelChanged) throw new ModelChanged();
    if (this.#isBetweenSteps && (await this.#options.toolsChanged?.()) === true) {
      throw new ToolsChanged();
    }
    return { messages: this.#messages.slice(), chat: this.#facts };
  }

  /** Checked only after a committed step, so that a server whose tools keep changing cannot stall a turn. */
  get #isBetweenSteps(): boolean {
    const { history_version } = this.#options.chat;
    return (
      this.#fence.history_version !== history_version && this.#messages.at(-1)?.role === 'tool'
    );
  }

  async beginAttempt(): Promise<Episode> {
    if (this.#begunAhead) {
      this.#begunAhead = false;
      return this.#episode();
    }
    const attempt = this.#attempt + 1;
    const { runner } = this.#options.store;
    const position = await this.#persist(
      () => runner.beginAttempt(this.#chatId, this.#fence, attempt),
      (chat) => chat.attempt === attempt && this.#isOurs(chat),
    );
    this.#attempt = attempt;
    this.#moved(position);
    return this.#begin();
  }

  async beginTools(callIds: readonly string[]): Promise<void> {
    const { runner } = this.#options.store;
    const begun = (chat: ChatRow) =>
      callIds.every((id) =>
        chat.open_calls.some((call) => call.tool_call_id === id && call.begun === true),
      );
    this.#moved(
      await this.#persist(
        () => runner.beginTools(this.#chatId, this.#fence, callIds),
        (chat) => this.#isOurs(chat) && begun(chat),
      ),
    );
  }

  async recordRetry(retry: Retry): Promise<void> {
    const { runner } = this.#options.store;
    this.#moved(
      await this.#persist(
        () => runner.recordRetry(this.#chatId, this.#fence, retry),
        (chat) => this.#isOurs(chat),
      ),
    );
  }

  async commit(
    messages: readonly HistoryMessage[],
    expected?: 'generate' | 'finish',
  ): Promise<void> {
    const { runner } = this.#options.store;
    const step: Step = {
      ...this.#step(messages),
      ...(expected !== undefined && {
        next: expected === 'generate' ? 'begin_attempt' : 'finish_turn',
      }),
    };
    // The store finds a commit whose response was lost.
    const committed = await this.#persist(
      () => runner.commitStep(this.#chatId, this.#fence, step),
      () => false,
    );
    this.#committed(committed);
    this.#begunAhead = this.#attempt === 1;
    if (this.#status === 'waiting') return this.#end();
    const compaction_requested =
      this.#facts.compaction_requested === true && step.compacted !== true;
    // Call ids are unique within one response only.
    this.#facts = messages.some((message) => message.role === 'assistant')
      ? { compaction_requested }
      : { ...this.#facts, compaction_requested };
    this.#begin();
  }

  async requireAction(calls: readonly AwaitedCall[]): Promise<void> {
    const { store, dynamicTimeoutMs } = this.#options;
    const awaited = Object.fromEntries(calls.map((call) => [call.tool_call_id, call.kind]));
    const timeoutMs = await dynamicTimeoutMs();
    this.#moved(
      await this.#persist(
        () => store.runner.requireAction(this.#chatId, this.#fence, awaited, timeoutMs),
        (chat) => this.#isSame(chat) && chat.status === 'requires_action',
      ),
    );
    this.#end();
  }

  /** The runner begins the next turn, which may have another model. */
  async finishTurn(): Promise<'waiting'> {
    if (this.#status === 'waiting') return 'waiting';
    const { runner } = this.#options.store;
    this.#over(
      await this.#persist(
        () => runner.finishTurn(this.#chatId, this.#fence),
        (chat) => this.#isSame(chat) && chat.status === 'waiting',
      ),
    );
    return 'waiting';
  }

  async finishInterruption(partial: readonly HistoryMessage[]): Promise<void> {
    const { runner } = this.#options.store;
    this.#over(
      await this.#persist(
        () => runner.finishInterruption(this.#chatId, this.#fence, this.#step(partial)),
        (chat) => this.#isSame(chat) && chat.status === 'waiting',
      ),
    );
  }

  async fail(error: ChatError): Promise<void> {
    const { runner } = this.#options.store;
    this.#moved(
      await this.#persist(
        () => runner.fail(this.#chatId, this.#fence, error),
        (chat) => this.#isSame(chat) && chat.status === 'error',
      ),
    );
    this.#end();
  }

  #step(messages: readonly HistoryMessage[]): Step {
    const { configOf } = this.#options;
    const call = bookedCall(messages, configOf);
    return {
      messages: messages.map((message) => asNewMessage(message, configOf(message))),
      attempt: this.#attempt,
      ...(call && { call }),
      ...(messages.some(({ meta }) => meta?.compaction?.source === 'manual') && {
        compacted: true,
      }),
    };
  }

  /** Retries until the database answers. `wasDone` tells from the chat whether an earlier try was committed. */
  async #persist<T extends ChatVersions>(
    write: () => Promise<T>,
    wasDone: (chat: ChatRow) => boolean,
  ): Promise<T | ChatVersions> {
    const { signal } = this.#options;
    return await untilAnswered<T | ChatVersions>(signal, async (again) => {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        const chat = await this.#readChat();
        if (again && chat !== undefined && wasDone(chat)) return chat;
        throw this.#why(chat, error);
      }
    });
  }

  #why(chat: ChatRow | undefined, refused: Refused): Error {
    if (chat?.runner_id !== this.#fence.runner_id) return new LostLease();
    if (chat.history_version !== this.#fence.history_version) return new Obsolete();
    if (chat.status === 'interrupting' && this.#status === 'running') {
      this.#status = 'interrupting';
      this.#snapshotVersion = chat.snapshot_version;
      return new Interrupted();
    }
    return refused;
  }

  async #readChat(): Promise<ChatRow | undefined> {
    const { store, signal } = this.#options;
    const [chat] = await untilAnswered(signal, () =>
      store.database.query(findChat, { id: this.#chatId }),
    );
    return chat;
  }

  #isSame(chat: ChatRow): boolean {
    return chat.history_version === this.#fence.history_version;
  }

  #isOurs(chat: ChatRow): boolean {
    return this.#isSame(chat) && chat.runner_id === this.#fence.runner_id;
  }

  #moved({ status, snapshot_version }: ChatVersions): void {
    this.#status = status;
    this.#snapshotVersion = snapshot_version;
    if (status === 'interrupting') this.#options.onInterrupted();
  }

  #committed(committed: Committed | ChatVersions): void {
    this.#moved(committed);
    const rows = 'messages' in committed ? committed.messages : [];
    if (committed.history_version === this.#fence.history_version) return;
    this.#messages.push(...asHistory(this.#messages, rows));
    this.#lastId = rows.at(-1)?.id ?? this.#lastId;
    this.#fence = { ...this.#fence, history_version: committed.history_version };
    this.#attempt = 'attempt' in committed ? committed.attempt : 0;
    const { model_config_id } = this.#options.chat;
    this.#modelChanged ||= rows.some((row) => asksForAnother(row, model_config_id));
  }

  /** A turn has ended. Queued messages may have begun the next one. */
  #over(committed: Committed | ChatVersions): void {
    this.#committed(committed);
    if (this.#status !== 'running') this.#end();
  }

  #begin(): Episode {
    const episode = this.#episode();
    this.#options.sink.begin(this.#chatId, episode);
    return episode;
  }

  #episode(): Episode {
    return { history_version: this.#fence.history_version, attempt: this.#attempt };
  }

  #end(): void {
    this.#options.sink.end(this.#chatId);
  }
}

const asksForAnother = (row: MessageRow, configId: string): boolean =>
  row.role === 'user' && row.model_config_id !== null && row.model_config_id !== configId;

/**
 * A step has at most one row in model_calls: for its response, for its summary, or for the runtime of its tools. The cost
 * of an interrupted response is unknown; tools cost nothing.
 */
function bookedCall(
  messages: readonly HistoryMessage[],
  configOf: (message: HistoryMessage) => string,
): ModelCall | undefined {
  const made = messages.find(
    ({ usage, meta }) => usage !== undefined || meta?.finish_reason === 'interrupted',
  );
  if (made !== undefined) {
    return {
      kind: made.meta?.compaction === undefined ? 'turn' : 'summary',
      model_config_id: configOf(made),
      usage: made.usage ?? {},
      cost_micros: made.cost_micros ?? null,
      runtime_ms: made.runtime_ms ?? 0,
    };
  }
  const tools = messages.find(
    ({ role, meta }) => role === 'tool' && meta?.compaction === undefined,
  );
  const runtime_ms = tools?.runtime_ms ?? 0;
  if (tools === undefined || runtime_ms === 0) return undefined;
  return {
    kind: 'tools',
    model_config_id: configOf(tools),
    usage: {},
    cost_micros: 0,
    runtime_ms,
  };
}

import {
  chatError,
  classify,
  type HistoryMessage,
  Interrupted,
  type Limits,
  type LiveEvent,
  type LocalTool,
  ProviderError,
  pushModel,
  runTurn,
  ShuttingDown,
  type SpentCall,
  systemClock,
  type TurnOutcome,
} from '@chatd/loop';
import type { ApprovalRule, ChatError, Settings } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { ChatRow } from '../chat/row.ts';
import type { ChatModel, Models } from '../providers/models.ts';
import { approvalPolicy } from '../approvals/approval-policy.ts';
import { loadApprovalsOfChat } from '../store/approvals.ts';
import { recordCall } from '../store/accounting/record-call.ts';
import { findChat } from '../store/queries/chats/find.ts';
import { projectInstructions } from '../store/queries/chats/projects.ts';
import type { TakenUp } from '../store/commands/runner-commands.ts';
import type { Store } from '../store/store.ts';
import type { LiveSink } from '../stream/live/live-sink.ts';
import { chatFiles } from './chat-files.ts';
import { activeTools, chatTools } from './chat-tools.ts';
import { checkedModel } from './checked-model.ts';
import { deathsOf } from './crash-loop.ts';
import { DurableHistory } from './durable-history.ts';
import type { HistoryCache } from './history-cache.ts';
import type { CallPurpose, Instruments, TurnWatch } from './instruments.ts';
import type { Lease } from './lease.ts';
import type { OutputPace } from './output-pace.ts';
import { permittedTools } from './permitted-tools.ts';
import { IdleTracking } from '../tools/idle-tracking.ts';
import { RevocableSink } from './revocable-sink.ts';
import { isRestart, LostLease, Obsolete } from './stop-reasons.ts';
import { openAll, type Toolbox, type TurnObserver, type TurnTools } from '../tools/toolbox.ts';
import { untilAnswered } from './until-answered.ts';

/** Limits that the embedding program sets. The others are settings of the deployment. */
export type TurnLimits = Partial<Omit<Limits, 'max_steps' | 'max_parallel_tools'>>;

/** The settings of the deployment that a turn follows. */
type TurnSettings = Pick<
  Settings,
  | 'system_prompt'
  | 'approvals'
  | 'max_steps_per_turn'
  | 'max_parallel_tools'
  | 'dynamic_tool_timeout_seconds'
>;

/** Shared by all runners of a worker. */
export interface RunnerTools {
  readonly store: Store;
  readonly models: Models;
  readonly sink: LiveSink;
  readonly lease: Lease;
  readonly histories: HistoryCache;
  readonly outputPace: OutputPace;
  readonly toolboxes: readonly Toolbox[];
  readonly limits: TurnLimits;
  readonly instruments: Instruments;
  readonly log: Logger;
  readonly settings: () => Promise<TurnSettings>;
  /** A runner has become idle, which frees capacity. */
  readonly rested: (ownerId: string) => void;
  /** Called before each model call. Throws a `ProviderError` if the user must not make it. */
  readonly beforeCall: (userId: string, configId: string) => Promise<void>;
  /** A turn has ended. Must not wait. */
  readonly onFinished: (chat: ChatRow) => void;
}

/**
 * Runs one chat while this worker owns it and it has work to do. When the chat's row changes under a turn, the turn is
 * aborted with a reason and begins again from the row.
 */
export class Runner {
  readonly chatId: string;
  readonly ownerId: string;
  readonly runnerId: string;
  readonly since = performance.now();
  readonly #with: RunnerTools;
  readonly #sink: RevocableSink;
  readonly #given = new AbortController();
  #chat: ChatRow;
  #work = new AbortController();
  /** The version of the last hint that stopped the turn. */
  #stoppedAt = 0;
  #history: DurableHistory | undefined;
  #model: ChatModel | undefined;
  #takenOver = true;
  #toolsChanged: () => Promise<boolean> = NEVER;
  #observers: readonly TurnObserver[] = [];
  /** The first attempt of the next turn has begun. */
  #begun: boolean;
  /** Rules for the next turn, if they were read with the chat. */
  #approvals: readonly ApprovalRule[] | undefined;
  readonly #idle = new IdleTracking((resting) => this.#rested(resting));

  constructor({ chat, begun, approvals }: TakenUp, tools: RunnerTools) {
    if (chat.runner_id === null) throw new Error('The chat has no runner.');
    this.chatId = chat.id;
    this.ownerId = chat.owner_id;
    this.runnerId = chat.runner_id;
    this.#chat = chat;
    this.#begun = begun;
    this.#approvals = approvals;
    this.#with = tools;
    this.#sink = new RevocableSink(tools.sink);
  }

  /** The turn only waits for other chats. */
  get resting(): boolean {
    return this.#idle.resting;
  }

  /** Consecutive deaths of the chat's owners. 0 once a step is committed. */
  get deaths(): number {
    const history_version = this.#history?.known.version ?? this.#chat.history_version;
    return deathsOf({ ...this.#chat, history_version });
  }

  /** The turn should stop. Hints about older versions are ignored. */
  interrupt(snapshotVersion: number): void {
    this.#stop(snapshotVersion, new Interrupted());
  }

  /** The history was edited. */
  edited(snapshotVersion: number): void {
    this.#stop(snapshotVersion, new Obsolete());
  }

  #stop(snapshotVersion: number, reason: Interrupted | Obsolete): void {
    if (snapshotVersion <= this.#version) return;
    this.#stoppedAt = snapshotVersion;
    this.#work.abort(reason);
  }

  /** The worker loses or gives up the chat. The turn is left unfinished. */
  giveUp(reason: ShuttingDown | LostLease): void {
    this.#given.abort(reason);
    this.#work.abort(reason);
  }

  /** Another runner of this process has the chat, so this one must not change its live parts. */
  replaced(): void {
    this.#sink.end(this.chatId);
    this.#sink.revoke();
    this.giveUp(new LostLease());
  }

  async run(): Promise<void> {
    try {
      while (await this.#turn()) {
        this.#work = new AbortController();
        const chat = await this.#reload();
        if (chat === undefined) return;
        this.#chat = chat;
        this.#given.signal.throwIfAborted();
        // A hint that arrived meanwhile may be about an older version.
        if (this.#stoppedAt <= chat.snapshot_version) this.#work = new AbortController();
      }
    } catch (error) {
      await this.#ended(error);
    } finally {
      this.#sink.end(this.chatId);
    }
  }

  get #version(): number {
    // Between turns, the history is that of the last one.
    return Math.max(this.#chat.snapshot_version, this.#history?.snapshotVersion ?? 0);
  }

  /** True: the chat continues, with the next turn or with a restart of this one. */
  async #turn(): Promise<boolean> {
    const { store, histories, instruments } = this.#with;
    const chat = this.#chat;
    if (chat.status === 'interrupting') this.#work.abort(new Interrupted());
    const known = await this.#patiently(() => histories.read(store.database, chat));
    const begun = this.#begun;
    const watch = instruments.turn(chat, begun ? chat.attempt : chat.attempt + 1);
    const history = new DurableHistory({
      store,
      sink: this.#sink,
      chat,
      known,
      takenOver: this.#takenOver,
      begun,
      dynamicTimeoutMs: () => this.#dynamicTimeoutMs(),
      configOf: (message) => this.#configOf(message),
      toolsChanged: () => this.#toolsChanged(),
      onInterrupted: () => this.#work.abort(new Interrupted()),
      signal: this.#given.signal,
    });
    this.#history = history;
    this.#takenOver = false;
    this.#begun = false;
    try {
      const outcome = await this.#drive(chat, history, watch).catch((error: unknown) => {
        // A heartbeat may have seen the end of the turn first. Then the chat was not taken over.
        if (error instanceof LostLease && history.status === 'waiting') return FINISHED;
        throw error;
      });
      watch.ended(outcome);
      histories.keep(chat.id, history.known);
      if (outcome.type === 'finished') this.#with.onFinished(chat);
      if (outcome.type !== 'requires_action') {
        for (const observer of this.#observers) void observer.ended();
      }
      return history.status === 'running';
    } catch (error) {
      histories.forget(chat.id);
      watch.ended(error instanceof Error ? error : new Error(String(error)));
      if (isRestart(error)) return true;
      // After an edit the loop rejects with the signal's reason.
      if (this.#work.signal.reason instanceof Obsolete && !this.#given.signal.aborted) return true;
      throw error;
    }
  }

  async #drive(chat: ChatRow, history: DurableHistory, watch: TurnWatch): Promise<TurnOutcome> {
    const { models, settings, lease, limits, store, outputPace } = this.#with;
    const rules = this.#rulesOf(chat);
    // Read concurrently; awaited where they are needed.
    rules.catch(() => undefined);
    let model: ChatModel;
    try {
      model = await this.#patiently(() => models.forChat(chat.model_config_id, chat.owner_id));
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const failure = chatError(classify(error, { provider: '', clock: systemClock }));
      await history.fail(failure);
      return { type: 'failed', error: failure };
    }
    this.#model = model;
    const { system_prompt, approvals, max_steps_per_turn, max_parallel_tools } =
      await this.#patiently(settings);
    const instructions = await this.#projectInstructions(chat);
    const equipment = await this.#patiently(() => this.#openTools(chat));
    this.#toolsChanged = equipment.changed ?? NEVER;
    this.#observers = equipment.observers ?? [];
    const own = await rules;
    const { signal } = this.#work;
    const prepare = (tool: LocalTool): LocalTool => {
      const observed = watch.tool(tool);
      return {
        ...observed,
        run: (args, context) =>
          this.#idle.during(async () => {
            // No effect starts unless the lease is held.
            await lease.sure(context.signal);
            return await observed.run(args, context);
          }),
      };
    };
    const observed = (given: ChatModel, purpose: CallPurpose) =>
      checkedModel(watch.model(pushModel(given.model), { ...given, chat, purpose }), () =>
        this.#with.beforeCall(chat.owner_id, given.configId),
      );
    const { tools, refused } = permittedTools(chat, chatTools(chat, equipment.tools, prepare));
    const policy = approvalPolicy(
      { deployment: approvals, owner: own },
      chat.root_chat_id ?? chat.id,
    );
    return await runTurn({
      model: observed(model, 'turn'),
      settings: {
        ...model.settings,
        ...(chat.reasoning_effort !== null && { effort: chat.reasoning_effort }),
      },
      ...(model.summary && {
        summaryModel: {
          model: observed(model.summary, 'summary'),
          settings: model.summary.settings,
        },
      }),
      history,
      tools,
      ...activeTools(tools, equipment.withheld, refused),
      // A call that is refused anyway needs no approval.
      approval: (call) => (refused.has(call.tool_name) ? 'allow' : policy(call)),
      // From general to specific, so that chats share the beginning, which providers cache.
      system: [
        system_prompt,
        instructions,
        chat.system_prompt ?? '',
        ...(equipment.system ?? []),
      ].filter((text) => text.trim() !== ''),
      limits: { ...limits, max_steps: max_steps_per_turn, max_parallel_tools },
      files: chatFiles(store.files, chat.owner_id, signal),
      publish: (event) => this.#publish(event, watch),
      spent: (call) => this.#book(chat, model, call),
      warn: (warning) => watch.warned(warning),
      pace: outputPace.reader(chat.owner_id),
      signal,
    });
  }

  async #dynamicTimeoutMs(): Promise<number | null> {
    const { dynamic_tool_timeout_seconds: seconds } = await this.#patiently(this.#with.settings);
    return seconds === null ? null : seconds * 1000;
  }

  async #rulesOf(chat: ChatRow): Promise<readonly ApprovalRule[]> {
    const read = this.#approvals;
    this.#approvals = undefined;
    const { database } = this.#with.store;
    return read ?? (await this.#patiently(() => loadApprovalsOfChat(database, chat.id)));
  }

  /** Empty: none. A subagent gets those of its root chat's project. */
  async #projectInstructions({ id, project_id, root_chat_id }: ChatRow): Promise<string> {
    if (project_id === null && root_chat_id === null) return '';
    const { database } = this.#with.store;
    const [project] = await this.#patiently(() =>
      database.query(projectInstructions, { chat_id: root_chat_id ?? id }),
    );
    return project?.instructions ?? '';
  }

  #openTools(chat: ChatRow): Promise<TurnTools> {
    const { toolboxes, log } = this.#with;
    const onMissing = (error: unknown) =>
      log.error({ err: error, chat_id: chat.id }, 'cannot prepare the tools of a turn');
    return openAll(toolboxes, chat, onMissing, this.#idle);
  }

  async #rested(resting: boolean): Promise<void> {
    const { store, rested, log } = this.#with;
    try {
      await this.#patiently(() => store.runner.rest(this.chatId, this.runnerId, resting));
      if (resting) rested(this.ownerId);
    } catch (error) {
      // The chat was released or deleted, so it does not count.
      log.debug({ err: error, chat_id: this.chatId }, 'cannot record that a chat is idle');
    }
  }

  /** The model of a message. Summaries may have their own. */
  #configOf(message: HistoryMessage): string {
    const summary = this.#model?.summary;
    const isSummary = message.meta?.compaction !== undefined;
    return isSummary && summary !== undefined ? summary.configId : this.#chat.model_config_id;
  }

  /** Records a model call without a message, or logs why it cannot. */
  #book(chat: ChatRow, model: ChatModel, { purpose, usage, ...paid }: SpentCall): void {
    const { store, log } = this.#with;
    const { configId } = purpose === 'summary' ? (model.summary ?? model) : model;
    const cost_micros = paid.cost_micros ?? null;
    const call = { kind: purpose, model_config_id: configId, usage, cost_micros, runtime_ms: 0 };
    recordCall(store.database, chat, call).catch((error: unknown) =>
      log.warn({ err: error, chat_id: chat.id, ...call }, 'cannot record a model call'),
    );
  }

  #publish(event: LiveEvent, watch: TurnWatch): void {
    switch (event.type) {
      case 'part':
        return this.#sink.push(this.chatId, event.role, event.part);
      case 'reset':
        return this.#sink.end(this.chatId);
      case 'retry':
        return watch.retrying(event.retry);
      case 'committed':
        this.#stepCommitted(event.messages);
        return watch.stepCommitted(event.messages);
    }
  }

  #stepCommitted(messages: readonly HistoryMessage[]): void {
    const last = this.#history?.known.lastId;
    if (last === undefined || !messages.some(({ role }) => role === 'tool')) return;
    for (const observer of this.#observers) observer.stepCommitted(last);
  }

  async #reload(): Promise<ChatRow | undefined> {
    const { database } = this.#with.store;
    const [chat] = await this.#patiently(() => database.query(findChat, { id: this.chatId }));
    return chat?.runner_id === this.runnerId ? chat : undefined;
  }

  /** Waits while the database is unavailable. */
  #patiently<T>(ask: () => Promise<T>): Promise<T> {
    return untilAnswered(this.#given.signal, ask);
  }

  async #ended(error: unknown): Promise<void> {
    const { log, instruments, store } = this.#with;
    const reason = this.#given.signal.aborted ? this.#given.signal.reason : error;
    if (reason instanceof ShuttingDown) return;
    if (reason instanceof LostLease) {
      log.warn({ chat_id: this.chatId }, 'another worker has taken over this chat');
      instruments.leaseLost(this.chatId);
      return;
    }
    // An unexpected error. Without this the next sweep would run the chat again, forever.
    log.error({ err: error, chat_id: this.chatId }, 'turn failed');
    try {
      if (this.#history === undefined) await store.runner.release(this.chatId, this.runnerId);
      else await this.#history.fail(UNEXPECTED);
    } catch (failure) {
      if (failure instanceof LostLease) return;
      log.error({ err: failure, chat_id: this.chatId }, 'cannot end a failed turn');
    }
  }
}

const FINISHED: TurnOutcome = { type: 'finished' };

const NEVER = () => Promise.resolve(false);

const UNEXPECTED: ChatError = {
  kind: 'generic',
  retryable: false,
  message:
    'Something went wrong inside chatd, and the turn was ended. Send the message again; if it happens again, the log of the server says more.',
};

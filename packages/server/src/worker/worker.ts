import { setTimeout as sleep } from 'node:timers/promises';
import { ShuttingDown } from '@chatd/loop';
import type { Settings } from '@chatd/protocol';
import type { Bus, Subscription } from '../bus/bus.ts';
import { MOVES } from '../chat/moves.ts';
import { Refused } from '../chat/refused.ts';
import type { ChatRow } from '../chat/row.ts';
import { type Change, type Entered, hintOf } from '../store/change.ts';
import type { OwnedChat } from '../store/queries/runs/heartbeat.ts';
import type { TakenUp } from '../store/commands/runner-commands.ts';
import { type CapacityLimits, chooseWithin, type Served } from './capacity.ts';
import { crashLoopError, deathsOf, sortByDeaths } from './crash-loop.ts';
import { HistoryCache } from './history-cache.ts';
import { OutputPace } from './output-pace.ts';
import { Lease } from './lease.ts';
import { Runner, type RunnerTools } from './runner.ts';
import { LostLease } from './stop-reasons.ts';

export interface WorkerOptions extends Omit<
  RunnerTools,
  'lease' | 'histories' | 'outputPace' | 'settings' | 'rested'
> {
  readonly bus: Bus;
  /** One process, one id: chats name it while they run here. */
  readonly workerId: string;
  readonly settings: () => Promise<Settings>;
  readonly leaseMs?: number;
  readonly sweepMs?: number;
  /** Chats that run in this process at once. */
  readonly concurrency?: number;
  /** Deaths in a row of the owners of a chat until it is set aside. */
  readonly maxOwnerDeaths?: number;
  /** What a clean shutdown waits for before it gives chats up with their tools still running. */
  readonly handOverMs?: number;
}

const LEASE_MS = 30_000;
/** With the lease, the longest that a chat stands still after any single failure. */
const SWEEP_MS = 1000;
const CONCURRENCY = 256;
const HAND_OVER_MS = 600;
const MAX_OWNER_DEATHS = 3;
const EXPIRED_AT_ONCE = 100;
/** Longer than any worker was ever silent, and short enough for PostgreSQL's arithmetic. */
const NEVER_MS = 10 * 365 * 24 * 3_600_000;

/** Runs chats: takes those that should run and that nobody runs, and keeps its word that it lives. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #shared: RunnerTools;
  readonly #lease: Lease;
  readonly #leaseMs: number;
  readonly #runners = new Map<string, Runner>();
  readonly #runs = new Set<Promise<void>>();
  readonly #closed = new AbortController();
  readonly #hinted = new Set<string>();
  readonly #lookAgain = new Set<string>();
  #strays: ReadonlySet<string> = new Set();
  #subscription: Subscription | undefined;
  #offGap: (() => void) | undefined;
  #acquiring: Promise<void> | undefined;
  #saying: Promise<void> | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  /** Chats wait for room: whoever ends makes some. */
  #crowded = false;
  /** Chats wait for capacity that users share, not only for the limit of their user. */
  #isShort = false;
  #served: Served = new Map();
  #sweepAsked = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#lease = new Lease({
      commands: options.store.runner,
      workerId: options.workerId,
      leaseMs: this.#leaseMs,
      log: options.log,
      onBeat: (owned, sentAt) => this.#compare(owned, sentAt),
    });
    this.#shared = {
      ...options,
      lease: this.#lease,
      histories: new HistoryCache(),
      outputPace: new OutputPace(),
      rested: () => {
        if (this.#crowded) this.#sweepSoon();
      },
    };
  }

  async start(): Promise<void> {
    const { bus } = this.#options;
    await this.#lease.start();
    this.#subscription = await bus.subscribe('changes', (payload) =>
      // Only the store publishes on this subject.
      this.#hint(payload as unknown as Change),
    );
    this.#offGap = bus.onGap(() => {
      this.#sweepSoon();
      this.#lease.beat().catch(() => undefined);
    });
    this.#sweeping = this.#keepSweeping();
  }

  /** Chats that run here now. */
  get running(): number {
    return this.#runners.size;
  }

  /** What was said to a chat in this process: if it is run here, too, nothing has to be read. */
  said(chatId: string, entered: Entered): void {
    this.#shared.histories.append(chatId, entered);
  }

  /** Stops taking chats, stops the turns, and gives all of them up at once: another worker goes on. */
  async close(): Promise<void> {
    const { store, workerId, log } = this.#options;
    this.#closed.abort();
    this.#offGap?.();
    await this.#subscription?.close();
    await Promise.all([this.#sweeping, this.#acquiring, this.#saying]);
    for (const runner of this.#runners.values()) runner.giveUp(new ShuttingDown());
    const waited = new AbortController();
    await Promise.race([
      Promise.all(this.#runs),
      sleep(this.#options.handOverMs ?? HAND_OVER_MS, undefined, { signal: waited.signal }).catch(
        () => undefined,
      ),
    ]);
    waited.abort();
    await this.#lease.close();
    try {
      await store.runner.releaseWorker(workerId);
    } catch (error) {
      log.warn({ err: error }, 'chats could not be given up: others take them when the lease ends');
    }
  }

  #hint(change: Change): void {
    if (this.#closed.signal.aborted) return;
    const runner = this.#runners.get(change.id);
    if (change.status === 'interrupting') runner?.interrupt(change.snapshot_version);
    if (change.command === 'edit_message') runner?.edited(change.snapshot_version);
    if (isBusy(change) && makesRunnable(change.command)) this.#want(change.id);
    else if (this.#crowded && !isBusy(change)) this.#sweepSoon();
  }

  #want(chatId: string): void {
    // Its runner sees to it, unless it was just about to end: then it is looked at again.
    if (this.#runners.has(chatId)) {
      this.#lookAgain.add(chatId);
      return;
    }
    this.#hinted.add(chatId);
    this.#acquire();
  }

  #sweepSoon(): void {
    this.#sweepAsked = true;
    this.#acquire();
  }

  /** One statement at a time: hints that come meanwhile are taken together by the next. */
  #acquire(): void {
    if (this.#acquiring !== undefined || this.#closed.signal.aborted) return;
    this.#acquiring = this.#acquireAll().finally(() => {
      this.#acquiring = undefined;
      if (this.#hinted.size > 0 || this.#sweepAsked) this.#acquire();
    });
  }

  async #acquireAll(): Promise<void> {
    const { log } = this.#options;
    try {
      const limits = await this.#limits();
      const ids = [...this.#hinted];
      const sweep = this.#sweepAsked;
      this.#hinted.clear();
      this.#sweepAsked = false;
      // A chat that was hinted at must not overtake chats that wait for the same capacity.
      if (this.#isShort || limits.everywhere !== null || ids.length > limits.here) {
        await this.#acquireWithin(limits);
        return;
      }
      const { taken, heldBack } = await this.#takeUp(ids, limits.perUser);
      if (sweep || heldBack > 0) {
        await this.#sweep({ ...limits, here: Math.max(0, limits.here - taken) });
      }
    } catch (error) {
      // The next sweep finds what was missed.
      log.debug({ err: error }, 'chats could not be acquired');
    }
  }

  async #takeUp(
    ids: readonly string[],
    perUser: number | null,
  ): Promise<{ readonly taken: number; readonly heldBack: number }> {
    const { store, workerId } = this.#options;
    if (ids.length === 0) return { taken: 0, heldBack: 0 };
    const { taken, heldBack } = await store.runner.takeUp(workerId, ids, this.#silenceMs, perUser);
    this.#started(taken);
    return { taken: taken.length, heldBack };
  }

  async #sweep(limits: CapacityLimits): Promise<void> {
    const { store, workerId } = this.#options;
    if (limits.perUser !== null || limits.here === 0) {
      await this.#acquireWithin(limits);
      return;
    }
    const swept = await store.runner.acquire(workerId, limits.here, this.#silenceMs);
    this.#started(swept.map(asTakenUp));
    this.#crowded = false;
  }

  async #acquireWithin(limits: CapacityLimits): Promise<void> {
    const { store, workerId } = this.#options;
    let isShort = false;
    const { taken, left } = await store.runner.acquireWithin(
      workerId,
      this.#silenceMs,
      (runnable, running) => {
        const choice = chooseWithin(limits, runnable, running, this.#served);
        isShort = choice.isShort;
        this.#served = choice.served;
        return choice.chosen;
      },
    );
    this.#started(taken.map(asTakenUp));
    this.#crowded = left.length > 0;
    this.#isShort = isShort;
    this.#sayWhoWaits(left.filter((chat) => !chat.queued_for_capacity));
  }

  /** Beside the acquisition: there may be thousands of them, and room for the first at any moment. */
  #sayWhoWaits(chats: readonly { readonly id: string }[]): void {
    if (this.#saying !== undefined || chats.length === 0) return;
    const { store, log } = this.#options;
    const say = async () => {
      for (const { id } of chats) {
        if (this.#closed.signal.aborted) return;
        await store.runner.waitForCapacity(id).catch(ignoreRefusal);
      }
    };
    this.#saying = say()
      .catch((error: unknown) => log.debug({ err: error }, 'a chat could not be told to wait'))
      .finally(() => (this.#saying = undefined));
  }

  /** How long the worker of a chat must have been silent for it to be taken. */
  get #silenceMs(): number {
    return this.#lease.maySeize ? this.#leaseMs : NEVER_MS;
  }

  /** Runners that only wait take no room. */
  get #working(): number {
    return [...this.#runners.values()].filter((runner) => !runner.resting).length;
  }

  async #limits(): Promise<CapacityLimits> {
    const { settings, concurrency = CONCURRENCY } = this.#options;
    const { max_running_chats, max_running_chats_per_user } = await settings();
    return {
      here: Math.max(0, concurrency - this.#working),
      everywhere: max_running_chats,
      perUser: max_running_chats_per_user,
    };
  }

  #started(taken: readonly TakenUp[]): void {
    if (taken.length === 0) return;
    const { instruments, bus } = this.#options;
    instruments.acquired(taken.map(({ waitingSince }) => waitingSince));
    // Whoever watches a turn that had begun elsewhere looks for its live parts here from now on.
    for (const { chat, begun } of taken) {
      if (begun || (chat.attempt === 0 && chat.open_calls.length === 0)) continue;
      bus.publish('changes', { ...hintOf({ ...chat, command: 'acquire' }) });
    }
    const maxDeaths = this.#options.maxOwnerDeaths ?? MAX_OWNER_DEATHS;
    const isOnLastTry = [...this.#runners.values()].some(({ deaths }) => deaths >= maxDeaths - 1);
    const { run, setAside, postponed } = sortByDeaths(taken, maxDeaths, isOnLastTry);
    for (const { chat } of setAside) this.#setAside(chat);
    for (const { chat } of postponed) this.#postpone(chat);
    for (const one of run) this.#run(new Runner(one, this.#shared));
  }

  /** If it fails, the chat is a stray: it is released, acquired again and set aside then. */
  #setAside(chat: ChatRow): void {
    const { store, log } = this.#options;
    const { id, runner_id, history_version } = chat;
    if (runner_id === null) return;
    const deaths = deathsOf(chat);
    log.error({ chat_id: id, deaths }, 'a chat is set aside: its process died too often');
    const error = crashLoopError(deaths);
    store.runner
      .setAside(id, { runner_id, history_version }, error)
      .catch((failure: unknown) =>
        log.warn({ err: failure, chat_id: id }, 'a chat could not be set aside'),
      );
  }

  /** Another worker may run it now; the next sweep asks again. */
  #postpone({ id, runner_id }: ChatRow): void {
    if (runner_id === null) return;
    this.#options.store.runner.release(id, runner_id).catch(() => undefined);
  }

  #run(runner: Runner): void {
    // Somebody had the chat in between, and is gone: the heartbeat that would have told was overtaken.
    this.#runners.get(runner.chatId)?.replaced();
    this.#runners.set(runner.chatId, runner);
    if (this.#closed.signal.aborted) runner.giveUp(new ShuttingDown());
    const run = runner.run().finally(() => {
      if (this.#runners.get(runner.chatId) === runner) this.#runners.delete(runner.chatId);
      this.#runs.delete(run);
      if (this.#lookAgain.delete(runner.chatId)) this.#want(runner.chatId);
      if (this.#crowded) this.#sweepSoon();
    });
    this.#runs.add(run);
  }

  /** What the database says of our chats, against what we think. Hints may be lost; this is not. */
  #compare(owned: ReadonlyMap<string, OwnedChat>, sentAt: number): void {
    for (const runner of this.#runners.values()) {
      if (runner.since > sentAt) continue;
      const chat = owned.get(runner.chatId);
      if (chat?.runner_id !== runner.runnerId) runner.giveUp(new LostLease());
      else if (chat.status === 'interrupting') runner.interrupt(chat.snapshot_version);
    }
    this.#releaseStrays([...owned.values()].filter((chat) => !this.#runners.has(chat.id)));
  }

  /**
   * Chats that name us and that we do not run: the answer to an acquisition was lost, or a turn could not be ended.
   * One that was acquired just now may look the same, so it takes two heartbeats to be sure.
   */
  #releaseStrays(strays: readonly OwnedChat[]): void {
    const { store, log } = this.#options;
    const before = this.#strays;
    this.#strays = new Set(strays.map((chat) => chat.runner_id));
    for (const { id, runner_id } of strays.filter((chat) => before.has(chat.runner_id))) {
      log.warn({ chat_id: id }, 'a chat that nobody ran is given up, to be taken again');
      store.runner.release(id, runner_id).then(
        () => this.#want(id),
        () => undefined,
      );
    }
  }

  async #keepSweeping(): Promise<void> {
    const { sweepMs = SWEEP_MS, log } = this.#options;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      this.#sweepSoon();
      await this.#expire().catch((error: unknown) =>
        log.debug({ err: error }, 'deadlines could not be looked at'),
      );
      // Replicas that were started together do not sweep together for ever.
      const pause = sweepMs * (0.75 + Math.random() * 0.5);
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Calls whose client did not answer in time are answered as cancelled, and the turn goes on. */
  async #expire(): Promise<void> {
    const { runner } = this.#options.store;
    for (const id of await runner.expired(EXPIRED_AT_ONCE)) {
      await runner.expireAction(id).catch(ignoreRefusal);
    }
  }
}

const asTakenUp = (chat: ChatRow): TakenUp => ({
  chat,
  begun: false,
  waitingSince: chat.updated_at,
});

/** Somebody else was faster, or the chat has moved on. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refused)) throw error;
}

const isBusy = ({ status }: Change) => status === 'running' || status === 'interrupting';

/** A hint of a newer replica may name a command that this one does not know. */
const makesRunnable = (command: Change['command']): boolean =>
  command === 'create' || (MOVES as Partial<typeof MOVES>)[command]?.makesRunnable === true;

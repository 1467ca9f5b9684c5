import { setTimeout as sleep } from 'node:timers/promises';
import { ShuttingDown } from '@chatd/loop';
import type { Settings } from '@chatd/protocol';
import type { Bus, Subscription } from '../bus/bus.ts';
import { MOVES } from '../chat/moves.ts';
import { Refused } from '../chat/refused.ts';
import type { ChatRow } from '../chat/row.ts';
import { type Change, type AppendedMessages, hintOf } from '../store/change.ts';
import type { OwnedChat } from '../store/queries/runs/heartbeat.ts';
import type { ReservedRun } from '../store/commands/claim.ts';
import type { TakenUp } from '../store/commands/runner-commands.ts';
import { type CapacityLimits, chooseWithin, type Served } from './capacity.ts';
import { crashLoopError, deathsOf, sortByDeaths } from './crash-loop.ts';
import { HistoryCache } from './history-cache.ts';
import { OutputPace } from './output-pace.ts';
import { Lease } from './lease.ts';
import { Reservations } from './reservations.ts';
import { Runner, type RunnerTools } from './runner.ts';
import { LostLease } from './stop-reasons.ts';

export interface WorkerOptions extends Omit<
  RunnerTools,
  'lease' | 'histories' | 'outputPace' | 'settings' | 'rested'
> {
  readonly bus: Bus;
  /** Unique per process. Chats name it while they run here. */
  readonly workerId: string;
  readonly settings: () => Promise<Settings>;
  /** The settings without waiting. Undefined: unknown, so this worker reserves nothing. */
  readonly recentSettings?: () => Settings | undefined;
  readonly leaseMs?: number;
  readonly sweepMs?: number;
  /** Max concurrent chats of this process. */
  readonly concurrency?: number;
  /** Consecutive deaths of a chat's owners until it is set aside. */
  readonly maxOwnerDeaths?: number;
  /** How long a shutdown waits for running tools before it releases their chats. */
  readonly handOverMs?: number;
}

const LEASE_MS = 30_000;
/** Together with the lease, the longest delay of a chat after any single failure. */
const SWEEP_MS = 1000;
/** Delay of the sweep for new chats of a user at the limit of running chats. */
const HELD_BACK_MS = 100;
const CONCURRENCY = 256;
const HAND_OVER_MS = 600;
const MAX_OWNER_DEATHS = 3;
const EXPIRED_AT_ONCE = 100;
/** Most chats of one sweep. Commands claim chats within the rest of the capacity meanwhile. */
const SWEPT_AT_ONCE = 64;
/** Longer than any silence of a worker, and small enough for PostgreSQL's interval arithmetic. */
const NEVER_MS = 10 * 365 * 24 * 3_600_000;

/** Acquires chats that should run and have no living owner, runs them, and renews the lease. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #shared: RunnerTools;
  readonly #lease: Lease;
  readonly #leaseMs: number;
  readonly #runners = new Map<string, Runner>();
  readonly #runs = new Map<Runner, Promise<void>>();
  readonly #closed = new AbortController();
  readonly #hinted = new Set<string>();
  readonly #lookAgain = new Set<string>();
  #strays: ReadonlySet<string> = new Set();
  #subscription: Subscription | undefined;
  #offGap: (() => void) | undefined;
  #acquiring: Promise<void> | undefined;
  #pause: NodeJS.Timeout | undefined;
  #saying: Promise<void> | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  /** Users whose chats wait, as of the last sweep. */
  #waitingUsers: ReadonlySet<string> = new Set();
  /** Chats wait for shared capacity, not only for the limit of their user. */
  #isShort = false;
  #served: Served = new Map();
  readonly #reservations = new Reservations();
  /** The most chats that the current acquisition can take. */
  #acquirable = 0;
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
      rested: (ownerId) => this.#freed(ownerId),
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

  /** Chats that run here. */
  get running(): number {
    return this.#runners.size;
  }

  /** Messages that this process appended. If the chat also runs here, they need not be read. */
  appended(chatId: string, entered: AppendedMessages): void {
    this.#shared.histories.append(chatId, entered);
  }

  /**
   * Reserves capacity for a chat that a command of this process is about to make runnable. Undefined if chats wait for
   * shared capacity, or may have to: then they must be acquired in a fair order.
   */
  reserve(ownerId: string): ReservedRun | undefined {
    const { workerId, concurrency = CONCURRENCY, recentSettings } = this.#options;
    const settings = recentSettings?.();
    if (settings === undefined || settings.max_running_chats !== null) return undefined;
    if (this.#closed.signal.aborted || this.#isShort || !this.#lease.isFresh) return undefined;
    if (this.#working + this.#reservations.total + this.#acquirable >= concurrency)
      return undefined;
    const { max_running_chats_per_user: perUser } = settings;
    const activeLimit = this.#reservations.activeLimit(ownerId, perUser);
    if (activeLimit === undefined) return undefined;
    const end = this.#reservations.add(ownerId);
    const run = (taken: TakenUp) => {
      if (!end()) return;
      if (this.#closed.signal.aborted) this.#postpone(taken.chat);
      else this.#started([taken]);
    };
    const start = (taken: TakenUp) => {
      const previous = this.#runners.get(taken.chat.id);
      // The runner of the last turn is about to end.
      if (previous === undefined) run(taken);
      else void this.#runs.get(previous)?.then(() => run(taken));
    };
    return { workerId, activeLimit, start, cancel: end };
  }

  /** Stops acquiring, aborts all turns and releases all chats, so that other workers continue them. */
  async close(): Promise<void> {
    const { store, workerId, log } = this.#options;
    this.#closed.abort();
    clearTimeout(this.#pause);
    this.#offGap?.();
    await this.#subscription?.close();
    await Promise.all([this.#sweeping, this.#acquiring, this.#saying]);
    for (const runner of this.#runners.values()) runner.giveUp(new ShuttingDown());
    const waited = new AbortController();
    await Promise.race([
      // A chat that is claimed meanwhile is released.
      this.#reservations.settled().then(() => Promise.all(this.#runs.values())),
      sleep(this.#options.handOverMs ?? HAND_OVER_MS, undefined, { signal: waited.signal }).catch(
        () => undefined,
      ),
    ]);
    waited.abort();
    await this.#lease.close();
    try {
      await store.runner.releaseWorker(workerId);
    } catch (error) {
      log.warn(
        { err: error },
        'cannot release chats; other workers take them over when the lease expires',
      );
    }
  }

  #hint(change: Change): void {
    if (this.#closed.signal.aborted) return;
    const runner = this.#runners.get(change.id);
    if (change.status === 'interrupting') runner?.interrupt(change.snapshot_version);
    if (change.command === 'edit_message' || change.command === 'regenerate') {
      runner?.edited(change.snapshot_version);
    }
    if (change.claimed === true) return;
    if (!isBusy(change)) this.#freed(change.owner_id);
    else if (makesRunnable(change.command) && !this.#mustWait(change)) this.#want(change.id);
  }

  /** The chat is behind others of its user. The next sweep finds it. */
  #mustWait({ id, status, owner_id }: Change): boolean {
    return status === 'running' && !this.#runners.has(id) && this.#waitingUsers.has(owner_id);
  }

  /** A chat of the user no longer runs, so a chat that waits for it may run. */
  #freed(ownerId: string): void {
    if (this.#isShort || this.#waitingUsers.has(ownerId)) this.#sweepSoon();
  }

  #want(chatId: string): void {
    // Its runner handles the change, or, if it is ending, the chat is acquired again.
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

  /** New chats of a user at the limit must not delay the chats of others with a sweep each. */
  #sweepAfterPause(): void {
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      this.#sweepSoon();
    }, HELD_BACK_MS);
  }

  /** One statement at a time. Hints that arrive meanwhile are batched into the next. */
  #acquire(): void {
    if (this.#acquiring !== undefined || this.#closed.signal.aborted) return;
    this.#acquiring = this.#acquireAll().finally(() => {
      this.#acquiring = undefined;
      if (this.#hinted.size > 0 || this.#sweepAsked) this.#acquire();
    });
  }

  async #acquireAll(): Promise<void> {
    const { log, settings } = this.#options;
    try {
      const limits = this.#limits(await settings());
      const ids = [...this.#hinted];
      const sweep = this.#sweepAsked;
      this.#hinted.clear();
      this.#sweepAsked = false;
      // A chat with a hint must not overtake chats that wait for the same capacity.
      const fairly = this.#isShort || limits.everywhere !== null || ids.length > limits.here;
      this.#acquirable =
        (fairly ? 0 : ids.length) + (fairly || sweep ? Math.min(limits.here, SWEPT_AT_ONCE) : 0);
      if (fairly) {
        await this.#acquireWithin(limits);
        return;
      }
      const { taken, heldBack } = await this.#takeUp(ids, limits.perUser);
      if (sweep) await this.#sweep({ ...limits, here: Math.max(0, limits.here - taken) });
      else if (heldBack > 0) this.#sweepAfterPause();
    } catch (error) {
      // The next sweep finds these chats.
      log.debug({ err: error }, 'cannot acquire chats');
    } finally {
      this.#acquirable = 0;
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
    const limit = Math.min(limits.here, SWEPT_AT_ONCE);
    const swept = await store.runner.acquire(workerId, limit, this.#silenceMs);
    this.#started(swept.map(asTakenUp));
    this.#waitingUsers = new Set();
    if (swept.length === limit && limit < limits.here) this.#sweepAsked = true;
  }

  async #acquireWithin(limits: CapacityLimits): Promise<void> {
    const { store, workerId } = this.#options;
    const here = Math.min(limits.here, SWEPT_AT_ONCE);
    let isShort = false;
    const { taken, left } = await store.runner.acquireWithin(
      workerId,
      this.#silenceMs,
      (runnable, running) => {
        const choice = chooseWithin({ ...limits, here }, runnable, running, this.#served);
        isShort = choice.isShort;
        this.#served = choice.served;
        return choice.chosen;
      },
    );
    this.#started(taken.map(asTakenUp));
    this.#waitingUsers = new Set(left.map((chat) => chat.owner_id));
    this.#isShort = isShort;
    // The sweep ended at its own limit.
    if (isShort && taken.length === here && here < limits.here) this.#sweepAsked = true;
    this.#sayWhoWaits(left.filter((chat) => !chat.queued_for_capacity));
  }

  /** Not awaited: there may be thousands of them, and the first may run at any moment. */
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
      .catch((error: unknown) =>
        log.debug({ err: error }, 'cannot mark a chat as waiting for capacity'),
      )
      .finally(() => (this.#saying = undefined));
  }

  /** How long the worker of a chat must have been silent before the chat is taken over. */
  get #silenceMs(): number {
    return this.#lease.maySeize ? this.#leaseMs : NEVER_MS;
  }

  /** Idle runners do not count. */
  get #working(): number {
    return [...this.#runners.values()].filter((runner) => !runner.resting).length;
  }

  /** Reservations count as running. */
  #limits({ max_running_chats, max_running_chats_per_user: perUser }: Settings): CapacityLimits {
    const { concurrency = CONCURRENCY } = this.#options;
    return {
      here: Math.max(0, concurrency - this.#working - this.#reservations.total),
      everywhere: max_running_chats,
      perUser: perUser === null ? null : Math.max(0, perUser - this.#reservations.most),
    };
  }

  #started(taken: readonly TakenUp[]): void {
    if (taken.length === 0) return;
    const { instruments, bus } = this.#options;
    instruments.acquired(taken.map(({ waitingSince }) => waitingSince));
    // Viewers of a turn that began elsewhere now find its live parts here.
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

  /** If it fails, the chat is released, acquired again and set aside then. */
  #setAside(chat: ChatRow): void {
    const { store, log } = this.#options;
    const { id, runner_id, history_version } = chat;
    if (runner_id === null) return;
    const deaths = deathsOf(chat);
    log.error({ chat_id: id, deaths }, 'setting aside a chat whose process died too often');
    const error = crashLoopError(deaths);
    store.runner
      .setAside(id, { runner_id, history_version }, error)
      .catch((failure: unknown) =>
        log.warn({ err: failure, chat_id: id }, 'cannot set aside a chat'),
      );
  }

  /** Another worker may run it. The next sweep tries again. */
  #postpone({ id, runner_id }: ChatRow): void {
    if (runner_id === null) return;
    this.#options.store.runner.release(id, runner_id).catch(() => undefined);
  }

  #run(runner: Runner): void {
    // Another worker had the chat in between and died, before a heartbeat could show it.
    this.#runners.get(runner.chatId)?.replaced();
    this.#runners.set(runner.chatId, runner);
    if (this.#closed.signal.aborted) runner.giveUp(new ShuttingDown());
    const run = runner.run().finally(() => {
      if (this.#runners.get(runner.chatId) === runner) this.#runners.delete(runner.chatId);
      this.#runs.delete(runner);
      if (this.#lookAgain.delete(runner.chatId)) this.#want(runner.chatId);
      this.#freed(runner.ownerId);
    });
    this.#runs.set(runner, run);
  }

  /** Compares the runners with the database. Hints can be lost, heartbeats cannot. */
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
   * Chats that this worker owns but does not run: the response to an acquisition was lost, or a turn could not be ended.
   * A chat that is just being acquired looks the same, so only two heartbeats in a row count.
   */
  #releaseStrays(strays: readonly OwnedChat[]): void {
    const { store, log } = this.#options;
    const before = this.#strays;
    this.#strays = new Set(strays.map((chat) => chat.runner_id));
    for (const { id, runner_id } of strays.filter((chat) => before.has(chat.runner_id))) {
      log.warn({ chat_id: id }, 'releasing a chat that this worker owns but does not run');
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
        log.debug({ err: error }, 'cannot check deadlines'),
      );
      // Jitter, so that replicas do not sweep at the same time.
      const pause = sweepMs * (0.75 + Math.random() * 0.5);
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Cancels calls whose client did not answer in time, and continues the turn. */
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

/** Another worker was faster, or the chat has changed. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refused)) throw error;
}

const isBusy = ({ status }: Change) => status === 'running' || status === 'interrupting';

/** A hint of a newer replica may name a command that this one does not know. */
const makesRunnable = (command: Change['command']): boolean =>
  command === 'create' || (MOVES as Partial<typeof MOVES>)[command]?.makesRunnable === true;

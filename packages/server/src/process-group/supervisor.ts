import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  GroupSettings,
  ProcessMetrics,
  ReadyServer,
  ToMember,
  ToSupervisor,
} from './messages.ts';

export interface SupervisorOptions extends GroupSettings {
  readonly log: (line: string) => void;
}

/** The exit code of a process, or the signal that ended it. */
type ProcessEnd = number | string;

interface Member {
  readonly worker: Worker;
  /** Undefined: the process ended first. */
  readonly ready: Promise<ReadyServer | undefined>;
  readonly ended: Promise<ProcessEnd>;
  readonly startedAt: number;
  isReady: boolean;
  /** It was asked to stop. */
  isLeaving: boolean;
}

const METRICS_MS = 2000;
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 30_000;
/** A process that ran for this long does not count as one that fails at its start. */
const HEALTHY_MS = 60_000;

/**
 * Runs the processes of a server, which share its port, and replaces those that end. Processes end with their supervisor:
 * each exits when its connection to the supervisor closes.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #members = new Set<Member>();
  readonly #reading = new Map<number, (metrics: ProcessMetrics) => void>();
  readonly #stopping = new AbortController();
  #requests = 0;
  #failures = 0;
  /** The first process is ready. */
  #isStarted = false;
  #restarting: Promise<void> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    // Metrics contain values that JSON cannot represent.
    cluster.setupPrimary({ serialization: 'advanced' });
  }

  /**
   * Starts one process, then the others. If the first one cannot start, returns its exit code: it has printed why.
   */
  async start(): Promise<ReadyServer | ProcessEnd> {
    const first = this.#fork();
    const server = await first.ready;
    if (server === undefined) return await first.ended;
    this.#isStarted = true;
    const others = Array.from({ length: this.#options.size - 1 }, () => this.#fork());
    await Promise.all(others.map(({ ready }) => ready));
    return server;
  }

  /** Replaces the processes one at a time. Each one stops when its replacement is ready. */
  restart(): Promise<void> {
    this.#restarting = this.#restarting.then(() => this.#restart());
    return this.#restarting;
  }

  /** Stops all processes after their open requests. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const members = [...this.#members];
    for (const member of members) dismiss(member);
    await Promise.all(members.map(({ ended }) => ended));
  }

  async #restart(): Promise<void> {
    const { log } = this.#options;
    for (const old of [...this.#members].filter(({ isLeaving }) => !isLeaving)) {
      if (this.#stopping.signal.aborted) return;
      const fresh = this.#fork();
      if ((await fresh.ready) === undefined) {
        log('The replacement of a process did not start. The restart is canceled.');
        return;
      }
      dismiss(old);
      await old.ended;
    }
    log('All processes were restarted');
  }

  #fork(): Member {
    const worker = cluster.fork();
    const ready = Promise.withResolvers<ReadyServer | undefined>();
    const ended = Promise.withResolvers<ProcessEnd>();
    const member: Member = {
      worker,
      ready: ready.promise,
      ended: ended.promise,
      startedAt: performance.now(),
      isReady: false,
      isLeaving: false,
    };
    this.#members.add(member);
    worker.on('message', (message: ToSupervisor) => {
      if (message.type === 'ready') {
        member.isReady = true;
        ready.resolve(message);
      } else {
        this.#heard(member, message);
      }
    });
    const onEnd = (end: ProcessEnd) => {
      this.#members.delete(member);
      ready.resolve(undefined);
      ended.resolve(end);
      if (!member.isLeaving) void this.#replace(member, end);
    };
    worker.on('error', (error: Error) => {
      // Otherwise the process has ended, and a message can no longer be sent.
      if (worker.process.pid === undefined) onEnd(error.message);
    });
    worker.once('exit', (code: number | null, signal: string | null) => onEnd(signal ?? code ?? 0));
    return member;
  }

  /** Processes that fail again and again are started less often. */
  async #replace(ended: Member, end: ProcessEnd): Promise<void> {
    if (!this.#isIncomplete) return;
    const lasted = performance.now() - ended.startedAt;
    this.#failures = lasted < HEALTHY_MS ? this.#failures + 1 : 1;
    const pause = Math.min(FIRST_BACKOFF_MS * 2 ** (this.#failures - 1), LONGEST_BACKOFF_MS);
    this.#options.log(
      `Process ${ended.worker.process.pid} ended (${end}). Starting another one in ${pause} ms`,
    );
    await sleep(pause, undefined, this.#stopping).catch(() => undefined);
    if (this.#isIncomplete) this.#fork();
  }

  get #isIncomplete(): boolean {
    const running = [...this.#members].filter(({ isLeaving }) => !isLeaving);
    return this.#isStarted && !this.#stopping.signal.aborted && running.length < this.#options.size;
  }

  #heard(member: Member, message: Exclude<ToSupervisor, { type: 'ready' }>): void {
    switch (message.type) {
      case 'joined': {
        const { log: _, ...settings } = this.#options;
        tell(member, { type: 'begin', ...settings });
        // A process that has just started does not hear a first `stop`.
        if (member.isLeaving) tell(member, { type: 'stop' });
        return;
      }
      case 'spent':
        for (const other of this.#members) if (other !== member) tell(other, message);
        return;
      case 'collect':
        void this.#collect(member, message.id);
        return;
      case 'metrics':
        this.#reading.get(message.id)?.(message.metrics);
        this.#reading.delete(message.id);
    }
  }

  /** The metrics of all other processes that answer in time. */
  async #collect(asking: Member, id: number): Promise<void> {
    const others = [...this.#members].filter((other) => other !== asking && other.isReady);
    const metrics = await Promise.all(others.map((other) => this.#read(other)));
    tell(asking, {
      type: 'collected',
      id,
      metrics: metrics.filter((found) => found !== undefined),
    });
  }

  async #read(member: Member): Promise<ProcessMetrics | undefined> {
    const { promise, resolve } = Promise.withResolvers<ProcessMetrics>();
    this.#requests += 1;
    const id = this.#requests;
    this.#reading.set(id, resolve);
    tell(member, { type: 'read', id });
    const late = sleep(METRICS_MS, undefined, { ref: false });
    const metrics = await Promise.race([promise, member.ended.then(() => undefined), late]);
    this.#reading.delete(id);
    return metrics;
  }
}

function tell({ worker }: Member, message: ToMember): void {
  if (worker.isConnected()) worker.send(message);
}

function dismiss(member: Member): void {
  member.isLeaving = true;
  tell(member, { type: 'stop' });
}

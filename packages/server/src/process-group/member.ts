import cluster from 'node:cluster';
import type {
  GroupSettings,
  ProcessMetrics,
  ReadyServer,
  Spending,
  ToMember,
  ToSupervisor,
} from './messages.ts';

/** Time in which the spending of requests is collected before it is sent to the other processes. */
const SPENDING_MS = 50;

/** This process as one of the processes of a server, which a supervisor has started. */
export class ProcessGroupMember {
  readonly settings: GroupSettings;
  readonly #send: (message: ToSupervisor) => void;
  readonly #collecting = new Map<number, (metrics: ProcessMetrics[]) => void>();
  #requests = 0;
  #spending: Spending[number][] = [];
  #read: () => Promise<ProcessMetrics> = () => Promise.resolve([]);
  #onSpent: (spending: Spending) => void = () => undefined;

  /** Resolves when the supervisor has sent the settings. `onStop` is called when this process must stop. */
  static async join(onStop: () => void): Promise<ProcessGroupMember> {
    const { worker } = cluster;
    if (worker === undefined) throw new Error('This process has no supervisor.');
    const { promise, resolve } = Promise.withResolvers<GroupSettings>();
    let member: ProcessGroupMember | undefined;
    worker.on('message', (message: ToMember) => {
      if (message.type === 'begin') resolve(message);
      else if (message.type === 'stop') onStop();
      else if (member !== undefined) member.#heard(message);
    });
    const send = (message: ToSupervisor) => {
      if (worker.isConnected()) worker.send(message);
    };
    send({ type: 'joined' });
    member = new ProcessGroupMember(await promise, send);
    return member;
  }

  private constructor(settings: GroupSettings, send: (message: ToSupervisor) => void) {
    this.settings = settings;
    this.#send = send;
  }

  ready(server: ReadyServer): void {
    this.#send({ type: 'ready', ...server });
  }

  /** Ends the connection to the supervisor, so that the process can end. */
  leave(): void {
    cluster.worker?.disconnect();
  }

  /** Sets how the metrics of this process are read. */
  shareMetrics(read: () => Promise<ProcessMetrics>): void {
    this.#read = read;
  }

  /** The metrics of the other processes. */
  otherMetrics(): Promise<ProcessMetrics[]> {
    if (cluster.worker?.isConnected() !== true) return Promise.resolve([]);
    const { promise, resolve } = Promise.withResolvers<ProcessMetrics[]>();
    this.#requests += 1;
    this.#collecting.set(this.#requests, resolve);
    this.#send({ type: 'collect', id: this.#requests });
    return promise;
  }

  /** Tells the other processes, a moment later. */
  spent(...spending: Spending[number]): void {
    if (this.#spending.push(spending) > 1) return;
    setTimeout(() => {
      this.#send({ type: 'spent', spending: this.#spending });
      this.#spending = [];
    }, SPENDING_MS).unref();
  }

  onSpent(listener: (spending: Spending) => void): void {
    this.#onSpent = listener;
  }

  #heard(message: Exclude<ToMember, { type: 'begin' | 'stop' }>): void {
    switch (message.type) {
      case 'spent':
        return this.#onSpent(message.spending);
      case 'collected':
        this.#collecting.get(message.id)?.(message.metrics);
        this.#collecting.delete(message.id);
        return;
      case 'read':
        void this.#answer(message.id);
    }
  }

  async #answer(id: number): Promise<void> {
    const metrics = await this.#read().catch(() => []);
    this.#send({ type: 'metrics', id, metrics });
  }
}

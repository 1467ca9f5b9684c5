import { type Clock, sleep } from '@chatd/loop';
import type { Bus, Subscription } from '../bus/bus.ts';
import type { Remote } from './repository/remote.ts';

const REPOSITORIES = 'git-repository-changed';
const WORKSPACES = 'git-workspace-changed';
/** Clients that show a repository read it more often than this. */
const SHOWN_MS = 2 * 60_000;
const MAX_SHOWN = 10_000;
/** Of one workspace. */
const MAX_WAITING = 32;

interface Shown extends Remote {
  readonly at: number;
}

interface WorkspaceChange {
  readonly workspace_id: string;
  readonly host: string;
}

/**
 * Changes at git hosts that a webhook reports, on any replica. Nothing is stored: a lost message only means that clients
 * see the change with their next poll.
 */
export class GitChanges {
  readonly #bus: Bus;
  readonly #clock: Clock;
  /** The repositories that this replica has shown lately, by workspace and path. */
  readonly #shown = new Map<string, Shown & { readonly workspaceId: string }>();
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #listeners = new Set<(host: string) => void>();
  #subscriptions: Subscription[] = [];
  #isEnding = false;

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    this.#subscriptions = await Promise.all([
      this.#bus.subscribe(REPOSITORIES, (payload) => this.#changed(payload as unknown as Remote)),
      this.#bus.subscribe(WORKSPACES, (payload) =>
        this.#wake(payload as unknown as WorkspaceChange),
      ),
    ]);
  }

  /** Clients ask another replica then. */
  endWaits(): void {
    this.#isEnding = true;
    for (const waiting of this.#waiting.values()) for (const wake of waiting) wake();
  }

  async close(): Promise<void> {
    this.endWaits();
    await Promise.all(this.#subscriptions.map((one) => one.close()));
  }

  /** A repository is shown to a user who may read it. */
  shown(workspaceId: string, { host, repository }: Remote): void {
    const key = `${workspaceId} ${host}/${repository}`.toLowerCase();
    this.#shown.delete(key);
    const name = repository.toLowerCase();
    this.#shown.set(key, { workspaceId, host, repository: name, at: this.#clock.now() });
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > MAX_SHOWN && oldest !== undefined) this.#shown.delete(oldest);
  }

  /** The host says that something has changed in a repository. */
  report({ host, repository }: Remote): void {
    this.#bus.publish(REPOSITORIES, { host, repository: repository.toLowerCase() });
  }

  /** Resolves with true when a repository of the workspace changes, or with false after some time. */
  async wait(workspaceId: string, ms: number): Promise<boolean> {
    if (this.#isEnding) return false;
    const waiting = this.#waiting.get(workspaceId) ?? new Set();
    const over = new AbortController();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const wake = () => resolve(true);
    if (waiting.size < MAX_WAITING) this.#waiting.set(workspaceId, waiting.add(wake));
    try {
      const timeout = sleep(this.#clock, ms, over.signal).then(() => false);
      timeout.catch(() => undefined);
      return await Promise.race([promise, timeout]);
    } finally {
      over.abort();
      waiting.delete(wake);
      if (waiting.size === 0) this.#waiting.delete(workspaceId);
    }
  }

  /** Calls `listener` with the host of each change. */
  onChange(listener: (host: string) => void): void {
    this.#listeners.add(listener);
  }

  #changed({ host, repository }: Remote): void {
    this.#announce(host);
    const since = this.#clock.now() - SHOWN_MS;
    const shown = [...this.#shown.values()].filter(
      (one) => one.host === host && one.repository === repository && one.at >= since,
    );
    for (const workspace_id of new Set(shown.map(({ workspaceId }) => workspaceId)))
      this.#bus.publish(WORKSPACES, { workspace_id, host });
  }

  /** The first message may arrive after this one, or not at all. */
  #wake({ workspace_id, host }: WorkspaceChange): void {
    this.#announce(host);
    for (const wake of this.#waiting.get(workspace_id) ?? []) wake();
  }

  #announce(host: string): void {
    for (const listener of this.#listeners) listener(host);
  }
}

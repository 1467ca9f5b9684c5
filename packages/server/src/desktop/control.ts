import type { Clock } from '@chatd/loop';

export interface DesktopViewer {
  readonly name: string;
}

export interface Waiting {
  readonly signal: AbortSignal;
  /** Called when an action starts to wait, and repeatedly after that, with the elapsed milliseconds. */
  readonly onWaiting: (ms: number) => void;
}

/** A person has had control for too long; the agent reports this instead of waiting. */
export class ControlledTooLong extends Error {
  override readonly name = 'ControlledTooLong';

  constructor(ms: number) {
    super(
      `A person has had control of the desktop for ${Math.round(ms / 60_000)} minutes, so nothing was done. ` +
        'Continue with something else, or report what is left to do.',
    );
  }
}

const MAX_MS = 15 * 60_000;
const SAID_EVERY_MS = 10_000;

/**
 * Who controls the pointer and keyboard of a desktop: the agent, unless a person has taken control. One person has it
 * at a time; taking it removes it from the previous one.
 */
export class Control {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #holder: DesktopViewer | undefined;
  #agents = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined: the agent. */
  get holder(): DesktopViewer | undefined {
    return this.#holder;
  }

  /** Whether an agent is waiting for control. */
  get agentWaits(): boolean {
    return this.#agents > 0;
  }

  take(viewer: DesktopViewer): void {
    if (this.#holder === viewer) return;
    this.#holder = viewer;
    this.#tell();
  }

  /** Does nothing if the viewer does not have control. */
  giveBack(viewer: DesktopViewer): void {
    if (this.#holder !== viewer) return;
    this.#holder = undefined;
    this.#tell();
  }

  /** Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs one action of an agent when no person has control, after earlier actions. */
  async act<T>(waiting: Waiting, action: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = before.then(() => promise);
    try {
      await before;
      await this.#untilFree(waiting);
      return await action();
    } finally {
      resolve();
    }
  }

  async #untilFree({ signal, onWaiting }: Waiting): Promise<void> {
    signal.throwIfAborted();
    if (this.#holder === undefined) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const since = this.#clock.now();
    const stop = this.onChange(() => {
      if (this.#holder === undefined) resolve();
    });
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    let cancel: (() => void) | undefined;
    const say = () => {
      const ms = this.#clock.now() - since;
      if (ms >= MAX_MS) return reject(new ControlledTooLong(ms));
      onWaiting(ms);
      cancel = this.#clock.after(SAID_EVERY_MS, say);
    };
    this.#agents += 1;
    this.#tell();
    say();
    try {
      await promise;
    } finally {
      cancel?.();
      stop();
      signal.removeEventListener('abort', abort);
      this.#agents -= 1;
      this.#tell();
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

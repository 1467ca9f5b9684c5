import type { Clock } from '@chatd/loop';
import type { DesktopHandlers, DesktopLink } from '../machine/machine.ts';

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

/** The turns of the agents of this process at the pointer and keyboard of a desktop. The machine decides who has them. */
export class Control {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #person: string | null = null;
  #yours = false;
  #gone = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly onState: DesktopHandlers['onState'] = ({ person }, yours) => {
    this.#person = person;
    this.#yours = yours;
    this.#tell();
  };

  /** The connection has ended. */
  onClose(): void {
    this.#gone = true;
    this.#tell();
  }

  /** Runs one action of an agent when no person has control, after earlier actions. */
  async act<T>(
    link: Pick<DesktopLink, 'take' | 'giveBack'>,
    waiting: Waiting,
    action: () => Promise<T>,
  ): Promise<T> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = before.then(() => promise);
    try {
      await before;
      waiting.signal.throwIfAborted();
      link.take();
      await this.#untilYours(waiting);
      return await action();
    } finally {
      this.#yours = false;
      link.giveBack();
      resolve();
    }
  }

  async #untilYours({ signal, onWaiting }: Waiting): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const since = this.#clock.now();
    let cancel: (() => void) | undefined;
    const say = () => {
      const ms = this.#clock.now() - since;
      if (ms >= MAX_MS) return reject(new ControlledTooLong(ms));
      onWaiting(ms);
      cancel = this.#clock.after(SAID_EVERY_MS, say);
    };
    const check = () => {
      if (this.#yours) resolve();
      else if (this.#gone) reject(new Error('The desktop has ended. Try again.'));
      else if (this.#person !== null && cancel === undefined) say();
    };
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.#listeners.add(check);
    check();
    try {
      await promise;
    } finally {
      cancel?.();
      this.#listeners.delete(check);
      signal.removeEventListener('abort', abort);
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { Random } from './random.ts';

/** A process of the simulation. Everything that it starts belongs to it. */
export interface Process {
  readonly name: string;
  /** Nothing happens in a dead process anymore. */
  isDead: boolean;
  /** What happens in a frozen process waits until it goes on. */
  held: (() => void)[] | undefined;
  /** What its clock shows besides the time. */
  readonly clockErrorMs: number;
  /** What others notice when it dies. */
  readonly atDeath: Set<() => void>;
}

interface Event {
  readonly at: number;
  readonly process: Process;
  readonly run: () => void;
  canceled: boolean;
}

/** 2026-01-01, in milliseconds. */
const START = 1_767_225_600_000;
const nextTurn = globalThis.setImmediate;
/** Events per turn of the real event loop, which is slower than most events. */
const BURST = 128;
const RealDate = Date;

/**
 * Time, chance, and processes of a simulation. Between two events no time passes. Timers, clocks and random numbers of
 * the whole program follow it, so one seed always leads to the same events.
 *
 * An event belongs to a process, and so does everything that follows from it before the next event. A promise that another
 * process waits for must therefore be settled by an event of that process: see `enter`.
 */
export class World {
  readonly random: Random;
  readonly #agenda = new Agenda();
  /** Clients, faults, and all else that is not simulated as a process. */
  readonly environment = this.process('environment');
  #current = this.environment;
  #now = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  /** Milliseconds since the start. */
  get now(): number {
    return this.#now;
  }

  /** The time in milliseconds since 1970. */
  get time(): number {
    return START + this.#now;
  }

  process(name: string, clockErrorMs = 0): Process {
    return { name, isDead: false, held: undefined, clockErrorMs, atDeath: new Set() };
  }

  /** The process that the caller runs in. */
  get current(): Process {
    return this.#current;
  }

  /** Works in another process. Settles in that of the caller, and never if the other one dies. */
  enter<T>(process: Process, work: () => Promise<T>): Promise<T> {
    const caller = this.#current;
    return new Promise((resolve, reject) => {
      const begin = () =>
        work().then(
          (value) => this.after(0, () => resolve(value), caller),
          (error: unknown) => this.after(0, () => reject(error), caller),
        );
      this.after(0, () => void begin(), process);
    });
  }

  kill(process: Process): void {
    process.isDead = true;
    for (const notice of process.atDeath) notice();
    process.atDeath.clear();
  }

  freeze(process: Process): void {
    process.held ??= [];
  }

  thaw(process: Process): void {
    const held = process.held ?? [];
    process.held = undefined;
    for (const run of held) this.after(0, run, process);
  }

  /** Calls `run` in a process, by default in that of the caller. Returns a function that cancels it. */
  after(ms: number, run: () => void, process = this.current): () => void {
    const at = this.#now + Math.max(0, ms);
    const event: Event = { at, process, run, canceled: false };
    this.#agenda.add(event);
    return () => {
      event.canceled = true;
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** Lets everything happen until a time or until the promise settles. */
  runUntil(limitMs: number, end: Promise<unknown>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let isDone = false;
    const stop = () => {
      isDone = true;
      resolve();
    };
    end.then(stop, stop);
    // What a step starts and needs no time has happened before the next step.
    const step = () => {
      if (isDone) return;
      try {
        const event = this.#agenda.next();
        if (event === undefined) throw new Error('Nothing happens anymore.');
        if (event.at > limitMs) stop();
        else this.#happen(event);
      } catch (error) {
        isDone = true;
        reject(error);
      }
    };
    const burst = () => {
      if (isDone) return;
      for (let count = 0; count < BURST; count += 1) nextTurn(step);
      nextTurn(burst);
    };
    nextTurn(burst);
    return promise;
  }

  #happen({ at, process, run }: Event): void {
    this.#now = at;
    if (process.isDead) return;
    if (process.held === undefined) {
      this.#current = process;
      run();
    } else {
      // A timer that is canceled meanwhile must not run.
      process.held.push(run);
    }
  }

  /** Timers, clocks and random numbers of the program follow the simulation until the returned function is called. */
  install(): () => void {
    const start = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      new SimulatedTimer(this, () => run(...args), ms);
    const clock = () => START + this.#now + this.#current.clockErrorMs;
    const restores = [
      replace(globalThis, {
        setTimeout: start,
        clearTimeout: stopTimer,
        setImmediate: (run: () => void, ...args: unknown[]) => start(run, 0, ...args),
        clearImmediate: stopTimer,
        Date: simulatedDate(clock),
      }),
      // A clock that shows the wrong time still measures durations.
      replace(performance, { now: () => this.#now }),
      replace(Math, { random: () => this.random.next() }),
      replace(crypto, { randomUUID: () => this.random.uuid() }),
      replace(timers, { setTimeout: abortableSleep }),
      replace(AbortSignal, { timeout: timeoutSignal }),
    ];
    syncBuiltinESMExports();
    return () => {
      for (const restore of restores) restore();
      syncBuiltinESMExports();
    };
  }
}

/** Replaces properties until the returned function is called. */
function replace(target: object, values: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(values).map(
    (name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const,
  );
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  }
  return () => {
    for (const [name, property] of before) {
      if (property === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, property);
    }
  };
}

const stopTimer = (timer?: SimulatedTimer): void => timer?.cancel();

class SimulatedTimer {
  readonly cancel: () => void;

  constructor(world: World, run: () => void, ms: number) {
    let canceled = false;
    const cancel = world.after(ms, () => {
      if (!canceled) run();
    });
    this.cancel = () => {
      canceled = true;
      cancel();
    };
  }

  ref = () => this;
  unref = () => this;
  hasRef = () => true;
}

const abortableSleep = <T>(
  ms?: number,
  value?: T,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(
        Object.assign(new Error('aborted', { cause: signal?.reason }), { name: 'AbortError' }),
      );
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value as T);
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });

const timeoutSignal = (ms: number): AbortSignal => {
  const controller = new AbortController();
  const timedOut = Object.assign(new Error('The operation timed out.'), { name: 'TimeoutError' });
  setTimeout(() => controller.abort(timedOut), ms);
  return controller.signal;
};

const simulatedDate = (now: () => number) =>
  class extends RealDate {
    constructor(...args: [] | [number | string | Date]) {
      super(...((args.length === 0 ? [now()] : args) as [number]));
    }

    static override now(): number {
      return now();
    }
  };

/** Events by time, the next one last. There are never more than some hundreds. */
class Agenda {
  readonly #events: Event[] = [];

  add(event: Event): void {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      // It is the newest, so it comes after others of the same time.
      if ((this.#events[middle]?.at ?? 0) > event.at) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }

  /** Canceled events do not count. */
  next(): Event | undefined {
    let event = this.#events.pop();
    while (event?.canceled === true) event = this.#events.pop();
    return event;
  }
}

import { AsyncLocalStorage } from 'node:async_hooks';
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
}

interface Event {
  readonly at: number;
  readonly process: Process | undefined;
  readonly run: () => void;
  canceled: boolean;
}

/** 2026-01-01, in milliseconds. */
const START = 1_767_225_600_000;
const nextTurn = globalThis.setImmediate;
const RealDate = Date;

/**
 * Time, chance, and processes of a simulation. Between two events no time passes. Timers, clocks and random numbers of
 * the whole program follow it, so one seed always leads to the same events.
 */
export class World {
  readonly random: Random;
  readonly #agenda = new Agenda();
  readonly #current = new AsyncLocalStorage<Process>();
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
    return { name, isDead: false, held: undefined, clockErrorMs };
  }

  /** The process that the caller runs in. Undefined: it is part of the environment. */
  get current(): Process | undefined {
    return this.#current.getStore();
  }

  run<T>(process: Process, work: () => T): T {
    return this.#current.run(process, work);
  }

  kill(process: Process): void {
    process.isDead = true;
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
  async runUntil(limitMs: number, end: Promise<unknown>): Promise<void> {
    const state = { ended: false };
    const stop = () => {
      state.ended = true;
    };
    end.then(stop, stop);
    await settle();
    while (!state.ended) {
      const event = this.#agenda.next();
      if (event === undefined) throw new Error('Nothing happens anymore.');
      if (event.at > limitMs) return;
      if (event.canceled) continue;
      this.#now = event.at;
      this.#happen(event);
      await settle();
    }
  }

  #happen({ process, run, canceled }: Event): void {
    if (canceled || process?.isDead === true) return;
    if (process === undefined) return this.#current.exit(run);
    if (process.held === undefined) return this.run(process, run);
    // A timer that is canceled meanwhile must not run.
    process.held.push(run);
  }

  /** Timers, clocks and random numbers of the program follow the simulation until the returned function is called. */
  install(): () => void {
    const start = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      new SimulatedTimer(this, () => run(...args), ms);
    const clock = () => START + this.#now + (this.current?.clockErrorMs ?? 0);
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

/** Everything that needs no time has happened. */
const settle = (): Promise<void> => new Promise((resolve) => void nextTurn(resolve));

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

  next(): Event | undefined {
    return this.#events.pop();
  }
}

import { startTransition, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';

/**
 * One value that changes, and who wants to know. State that lives outside of React is made of these: a component
 * renders again when a cell that it reads has changed, and for nothing else.
 */
export class Cell<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  readonly get = (): T => this.#value;

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export type ReadableCell<T> = Pick<Cell<T>, 'get' | 'subscribe'>;

export const useCell = <T>(cell: ReadableCell<T>): T =>
  useSyncExternalStore(cell.subscribe, cell.get, cell.get);

/**
 * As `useCell`, for what nobody waits for to the frame: it is drawn again in pieces, so that a line from the server never
 * keeps the page from answering. What somebody types, and what comes in while they look at it, is read by `useCell`.
 */
export function useCalmCell<T>(cell: ReadableCell<T>): T {
  const [seen, setSeen] = useState(() => ({ cell, value: cell.get() }));
  const value = seen.cell === cell ? seen.value : cell.get();
  const shown = useEffectEvent(() => value);
  useEffect(() => {
    // What is on its way already, and not what is shown: a value that comes and goes again must not stay.
    let last = shown();
    const look = () => {
      const next = cell.get();
      if (Object.is(last, next)) return;
      last = next;
      startTransition(() => setSeen({ cell, value: next }));
    };
    look();
    return cell.subscribe(look);
  }, [cell]);
  return value;
}

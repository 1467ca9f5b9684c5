import { startTransition, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';

/**
 * An observable value. State outside of React is kept in cells: a component renders only when a cell that it reads
 * changes.
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
 * Like `useCell`, but updates in a transition, so that background updates never block input. Use `useCell` for typed
 * text and for content that streams in while the user watches.
 */
export function useDeferredCell<T>(cell: ReadableCell<T>): T {
  const [seen, setSeen] = useState(() => ({ cell, value: cell.get() }));
  const value = seen.cell === cell ? seen.value : cell.get();
  const shown = useEffectEvent(() => value);
  useEffect(() => {
    // Compares with the pending value, not the rendered one: a value that changes and changes back must be applied.
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

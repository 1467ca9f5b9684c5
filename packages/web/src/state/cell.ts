import { startTransition, useEffect, useState, useSyncExternalStore } from 'react';

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
  useEffect(() => {
    let last: { readonly value: T } | undefined;
    const look = () => {
      const value = cell.get();
      if (last !== undefined && Object.is(last.value, value)) return;
      last = { value };
      startTransition(() =>
        setSeen((before) =>
          before.cell === cell && Object.is(before.value, value) ? before : { cell, value },
        ),
      );
    };
    look();
    return cell.subscribe(look);
  }, [cell]);
  return seen.cell === cell ? seen.value : cell.get();
}

import { useSyncExternalStore } from 'react';

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

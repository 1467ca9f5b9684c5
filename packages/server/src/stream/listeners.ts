export class Listeners<Key> {
  readonly #byKey = new Map<Key, Set<() => void>>();

  add(key: Key, listener: () => void): () => void {
    const listeners = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byKey.get(key) === listeners) this.#byKey.delete(key);
    };
  }

  has(key: Key): boolean {
    return this.#byKey.has(key);
  }

  tell(key: Key): void {
    const listeners = this.#byKey.get(key);
    if (listeners !== undefined) for (const listener of listeners) listener();
  }
}

/** Pauses a stream until it is released. */
export interface Gate {
  readonly type: 'gate';
  /** Resolves when everything before the gate was written to the client. */
  readonly reached: Promise<void>;
  /** Resolves when the stream may continue. */
  readonly released: Promise<void>;
  /** Called by the server when the stream reaches the gate. */
  arrive(): void;
  /** Releases the stream. If called early, the stream does not pause here. */
  release(): void;
}

export function gate(): Gate {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    type: 'gate',
    reached: reached.promise,
    released: released.promise,
    arrive: reached.resolve,
    release: released.resolve,
  };
}

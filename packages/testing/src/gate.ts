/** Holds a stream where it stands until it is released. */
export interface Gate {
  readonly type: 'gate';
  /** Resolves when everything before the gate was written to the client. */
  readonly reached: Promise<void>;
  /** Resolves when the stream may go on. */
  readonly released: Promise<void>;
  /** Called by the server when the stream stands here. */
  arrive(): void;
  /** Lets the stream go on. Calling it early means that the stream never stops here. */
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

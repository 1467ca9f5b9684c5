/** The user interrupts the turn: its output so far is kept, and the chat becomes idle. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor(message = 'the turn was interrupted') {
    super(message);
  }
}

/** This process stops: the turn stays open, and another process continues it. */
export class ShuttingDown extends Error {
  override readonly name = 'ShuttingDown';
  constructor(message = 'the process is shutting down') {
    super(message);
  }
}

export const isInterrupted = (signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true && signal.reason instanceof Interrupted;

/** The user interrupts the turn: its output so far is kept, and the chat becomes idle. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor(message = 'the turn was interrupted') {
    super(message);
  }
}

/** The turn stays open: another process continues it. */
export class HandedOver extends Error {
  override readonly name: string = 'HandedOver';
}

/** This process stops. */
export class ShuttingDown extends HandedOver {
  override readonly name = 'ShuttingDown';
  constructor(message = 'the process is shutting down') {
    super(message);
  }
}

export const isInterrupted = (signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true && signal.reason instanceof Interrupted;

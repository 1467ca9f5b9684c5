/** The user stops the turn: what was on the way is kept, the chat waits. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor(message = 'the turn was interrupted') {
    super(message);
  }
}

/** This process stops: nothing is concluded, another one goes on. */
export class ShuttingDown extends Error {
  override readonly name = 'ShuttingDown';
  constructor(message = 'the process is shutting down') {
    super(message);
  }
}

export const isInterrupted = (signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true && signal.reason instanceof Interrupted;

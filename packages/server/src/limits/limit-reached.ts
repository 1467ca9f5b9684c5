/** A limit was reached. `message` says which one and what to do; the client may try again after the wait. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The stream ended, or reported, in a way that is no answer. */
export class StreamFailure extends Error {
  override readonly name = 'StreamFailure';
}

/** Before the response was complete the connection was closed without a word. */
export class EarlyEnd extends StreamFailure {
  constructor() {
    super('the stream ended before the response was complete (early EOF)');
  }
}

/** The connection closed before the response was complete. */
export class EarlyEnd extends Error {
  override readonly name = 'EarlyEnd';
  constructor() {
    super('the stream ended before the response was complete (early EOF)');
  }
}

import { type JSONRPCMessage, ReadBuffer } from '@modelcontextprotocol/client';

interface ReaderOptions {
  readonly maxBytes: number;
  readonly onMessage: (message: JSONRPCMessage) => void;
  readonly onError: (error: Error) => void;
  /** A message exceeds the limit. Called after `onError`. */
  readonly onTooLong: () => void;
}

/** Splits the output of a program into messages. */
export class MessageReader {
  readonly #options: ReaderOptions;
  readonly #buffer: ReadBuffer;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#buffer = new ReadBuffer({ maxBufferSize: options.maxBytes });
  }

  read(chunk: Buffer): void {
    const { onMessage, onError, onTooLong } = this.#options;
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      onError(error as Error);
      return onTooLong();
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        onMessage(message);
      } catch (error) {
        // Not a message: programs may print other lines.
        onError(error as Error);
      }
    }
  }

  clear(): void {
    this.#buffer.clear();
  }
}

import { limitReached, Refused } from '../chat/refused.ts';
import { TooManyStreams } from '../stream/holders.ts';
import { InvalidCursor } from '../stream/streams.ts';

const RETRY_AFTER_SECONDS = 5;

/** What keeps a stream from being opened, as clients are told. */
export async function admitted<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof InvalidCursor) throw invalidCursor();
    if (!(error instanceof TooManyStreams)) throw error;
    throw limitReached(error.message, RETRY_AFTER_SECONDS);
  }
}

export function invalidCursor(): Refused {
  const message = 'is not the cursor of an event of this chat';
  return new Refused('invalid_cursor', `after: ${message}`, {
    errors: [{ path: 'after', message }],
  });
}

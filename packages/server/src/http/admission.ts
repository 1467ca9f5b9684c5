import { LimitReached } from '../limits/limit-reached.ts';
import { TooManyStreams } from '../stream/holders.ts';
import { InvalidCursor } from '../stream/streams.ts';
import { RequestRefused } from './refusal.ts';

const RETRY_AFTER_SECONDS = 5;

/** What keeps a stream from being opened, as clients are told. */
export async function admitted<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof InvalidCursor) throw invalidCursor();
    if (!(error instanceof TooManyStreams)) throw error;
    throw new LimitReached(error.message, RETRY_AFTER_SECONDS);
  }
}

export function invalidCursor(): RequestRefused {
  const message = 'is not the cursor of an event of this chat';
  return new RequestRefused('invalid_cursor', `after: ${message}`, {
    errors: [{ path: 'after', message }],
  });
}

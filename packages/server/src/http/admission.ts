import { TooManyStreams } from '../stream/holders.ts';
import { InvalidCursor } from '../stream/streams.ts';
import { RequestRefused } from './refusal.ts';

const RETRY_AFTER_S = '5';

/** What keeps a stream from being opened, as clients are told. */
export async function admitted<T>(opening: Promise<T> | (() => T)): Promise<T> {
  try {
    return await (typeof opening === 'function' ? opening() : opening);
  } catch (error) {
    if (error instanceof InvalidCursor) throw invalidCursor();
    if (!(error instanceof TooManyStreams)) throw error;
    throw new RequestRefused(
      'too_many_requests',
      `This token or session has ${error.limit} streams open: close some of them first.`,
      { headers: { 'retry-after': RETRY_AFTER_S } },
    );
  }
}

export function invalidCursor(): RequestRefused {
  const message = 'is not the cursor of an event of this chat';
  return new RequestRefused('invalid_cursor', `after: ${message}`, {
    errors: [{ path: 'after', message }],
  });
}

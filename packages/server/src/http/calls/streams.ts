import { InvalidCursor } from '../../stream/streams.ts';
import type { CallsOf } from '../call.ts';
import { RequestRefused } from '../refusal.ts';
import type { Services } from '../services.ts';

export const streamCalls = ({ streams }: Services): CallsOf<'Streams'> => ({
  async streamChat({ found, query, exchange }) {
    // A browser that comes back by itself asks for the same URL, and names the newer event in the header.
    const cursor = exchange.header('last-event-id') ?? query.after;
    try {
      return { status: 200, stream: await streams.join(found.chat, cursor) };
    } catch (error) {
      if (error instanceof InvalidCursor) throw invalidCursor();
      throw error;
    }
  },
});

function invalidCursor(): RequestRefused {
  const message = 'is not the cursor of an event of this chat';
  return new RequestRefused('invalid_cursor', `after: ${message}`, {
    errors: [{ path: 'after', message }],
  });
}

import { requireAdmin } from '../../auth/require-admin.ts';
import { holderOf, TooManyStreams } from '../../stream/holders.ts';
import { InvalidCursor } from '../../stream/streams.ts';
import type { CallsOf } from '../call.ts';
import { RequestRefused } from '../refusal.ts';
import type { Services } from '../services.ts';

export const streamCalls = ({ streams }: Services): CallsOf<'Streams'> => ({
  async streamChat({ found, query, caller, exchange }) {
    // A browser that comes back by itself asks for the same URL, and names the newer event in the header.
    const cursor = exchange.header('last-event-id') || query.after;
    const holder = holderOf(caller);
    const from = { cursor, afterMessage: query.after_id, tail: query.tail };
    const joining = streams.join(found.chat, from, holder);
    return { status: 200, stream: await admitted(joining) };
  },

  async watchChats({ query, caller, exchange }) {
    const { all = false } = query;
    if (all) {
      requireAdmin(caller, 'all');
      exchange.log.info({ user: caller.user.username }, 'an admin watches the chats of all users');
    }
    const holder = holderOf(caller, all);
    const watching = streams.watch(all ? null : caller.user.id, holder);
    return { status: 200, stream: await admitted(watching) };
  },
});

const RETRY_AFTER_S = '5';

async function admitted<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
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

function invalidCursor(): RequestRefused {
  const message = 'is not the cursor of an event of this chat';
  return new RequestRefused('invalid_cursor', `after: ${message}`, {
    errors: [{ path: 'after', message }],
  });
}

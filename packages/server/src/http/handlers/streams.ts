import { requireAdmin } from '../../auth/caller.ts';
import { guestOf, holderOf } from '../../stream/holders.ts';
import type { HandlersOf } from '../call.ts';
import type { Services } from '../services.ts';

export const streamHandlers = ({ streams }: Services): HandlersOf<'Streams'> => ({
  async streamChat({ found, query, caller, exchange }) {
    // A browser that reconnects uses the same URL, with the newer event in the header.
    const cursor = exchange.header('last-event-id') || query.after;
    const holder = holderOf(caller, { guest: guestOf(found.chat) });
    const from = { cursor, afterMessage: query.after_id, tail: query.tail };
    const joining = streams.join(found.chat, from, holder);
    return { status: 200, stream: await joining };
  },

  async watchChats({ query, caller, exchange }) {
    const { all = false } = query;
    if (all) {
      requireAdmin(caller, 'all');
      exchange.log.info({ user: caller.user.username }, 'an admin watches the chats of all users');
    }
    const holder = holderOf(caller, { needsAdmin: all });
    const watching = streams.watch(all ? null : caller.user.id, holder);
    return { status: 200, stream: await watching };
  },
});

import { requireAdmin } from '../../auth/caller.ts';
import { holderOf } from '../../stream/holders.ts';
import { admitted } from '../admission.ts';
import type { HandlersOf } from '../call.ts';
import type { Services } from '../services.ts';

export const streamHandlers = ({ streams }: Services): HandlersOf<'Streams'> => ({
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

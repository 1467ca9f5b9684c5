import { eventsOf } from '../events.ts';
import type { PlainApi } from '../observe.ts';

/** By chat, the cursor of a client that has seen every committed event. */
export async function cursorsOf(
  api: PlainApi,
  chats: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const cursors: Record<string, string> = {};
  for (const [name, id] of Object.entries(chats)) {
    const { messages } = await api.get<{ messages: { id: number }[] }>(
      `/chats/${id}/messages?limit=200`,
    );
    const last = messages.at(-1)?.id ?? 0;
    let seen = 0;
    // The cursor of the status event, which follows the messages of the initial state.
    const events = await eventsOf(api, id, undefined, (event) => {
      if (event.type === 'message') seen = event.message.id;
      return event.type === 'status' && seen >= last;
    });
    cursors[name] = events.at(-1)?.cursor ?? '';
  }
  return cursors;
}

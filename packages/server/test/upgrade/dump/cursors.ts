import type { PlainApi } from '../observe.ts';

/** What a viewer of each chat would come back with who has seen all of it. */
export async function cursorsOf(
  api: PlainApi,
  chats: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const cursors: Record<string, string> = {};
  for (const [name, id] of Object.entries(chats)) {
    const { messages } = await api.get<{ messages: { id: number }[] }>(
      `/chats/${id}/messages?limit=200`,
    );
    cursors[name] = await cursorOf(api, id, messages.at(-1)?.id ?? 0);
  }
  return cursors;
}

/** Of the status, which ends the first state that a stream tells, after the last message. */
async function cursorOf({ url, token }: PlainApi, id: string, last: number): Promise<string> {
  const leave = new AbortController();
  const response = await fetch(`${url}/api/v1/chats/${id}/stream`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    signal: leave.signal,
  });
  let seen = 0;
  let held = '';
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      held += chunk;
      const blocks = held.split('\n\n');
      held = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: ?(.*)$/m.exec(block)?.[1];
        if (data === undefined) continue;
        const event = JSON.parse(data) as Event;
        if (event.type === 'message') seen = event.message?.id ?? 0;
        if (event.type === 'status' && seen >= last) return event.cursor;
      }
    }
  } finally {
    leave.abort();
  }
  throw new Error(`the stream of ${id} ended`);
}

interface Event {
  readonly type: string;
  readonly cursor: string;
  readonly message?: { readonly id: number };
}

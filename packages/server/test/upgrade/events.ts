import type { ChatEvent } from '@chatd/protocol';
import type { PlainApi } from './observe.ts';

/**
 * What a stream tells somebody who comes with a cursor, or with none, up to the first event that `ends`. A client that has
 * seen everything is told nothing: it may end with the first ping.
 */
export async function eventsOf(
  { url, token }: PlainApi,
  chat: string,
  cursor: string | undefined,
  ends: (event: ChatEvent) => boolean,
): Promise<ChatEvent[]> {
  const leave = new AbortController();
  const response = await fetch(`${url}/api/v1/chats/${chat}/stream`, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(cursor !== undefined && { 'last-event-id': cursor }),
    },
    signal: leave.signal,
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const events: ChatEvent[] = [];
  let held = '';
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      held += chunk;
      const blocks = held.split('\n\n');
      held = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: ?(.*)$/m.exec(block)?.[1];
        if (data === undefined) continue;
        const event = JSON.parse(data) as ChatEvent;
        events.push(event);
        if (ends(event)) return events;
      }
    }
  } finally {
    leave.abort();
  }
  throw new Error(`the stream of ${chat} ended`);
}

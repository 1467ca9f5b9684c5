import type { ChatEvent } from '@chatd/protocol';
import type { PlainApi } from './observe.ts';

/**
 * The events of a stream after a cursor, or from the beginning, through the first one that `ends`. A client that is up to
 * date gets only pings.
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

import type { Fetch } from './mcp-fetch.ts';

export type CallId = string | number;

/**
 * Tells when the stream that was to bring the answer of a request has ended: the SDK leaves such a request open, and
 * it would wait for its time limit. `resumable`: the client may still get the rest, by asking for it.
 */
export function watchStreams(fetch: Fetch, ended: (id: CallId, resumable: boolean) => void): Fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    const id = requestId(init);
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (id === undefined || !isStream || answer.body === null) return answer;
    const { status, statusText, headers } = answer;
    const body = watched(answer.body, (resumable) => ended(id, resumable));
    return new Response(body, { status, statusText, headers });
  };
}

function requestId(init: RequestInit | undefined): CallId | undefined {
  if (init?.method !== 'POST' || typeof init.body !== 'string') return undefined;
  const { id } = JSON.parse(init.body) as { id?: CallId };
  return id;
}

function watched(
  body: ReadableStream<Uint8Array>,
  ended: (resumable: boolean) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let resumable = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          ended(resumable);
          return;
        }
        // An event with an id can be asked for again.
        resumable ||= Buffer.from(value).includes('id:');
        controller.enqueue(value);
      } catch (error) {
        controller.error(error);
        ended(resumable);
      }
    },
    async cancel(reason) {
      await reader.cancel(reason);
    },
  });
}

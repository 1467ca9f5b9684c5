import type { Fetch } from './mcp-fetch.ts';

export type CallId = string | number;

/**
 * Reports when the stream for a response has ended. The SDK would leave such a request open until its timeout.
 * `resumable`: the client can request the rest.
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
        // Events with an id can be requested again.
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

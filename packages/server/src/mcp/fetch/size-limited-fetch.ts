import { McpFailure } from '../mcp-failure.ts';

/** An answer, or one event of a stream of events. */
const LIMIT = 32 * 1024 * 1024;

const NEW_LINE = 10;

/** The same bytes; what is too long for anything that could be a message is an error. */
export function sizeLimitedFetch(
  body: ReadableStream<Uint8Array>,
  contentType: string | null,
  limit = LIMIT,
): ReadableStream<Uint8Array> {
  const ofEvents = contentType?.startsWith('text/event-stream') === true;
  let length = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const lineEnd = ofEvents ? chunk.lastIndexOf(NEW_LINE) : -1;
        length = lineEnd === -1 ? length + chunk.length : chunk.length - lineEnd - 1;
        if (length > limit) {
          throw new McpFailure('The server sent more than 32 MiB in one message.', { lost: true });
        }
        controller.enqueue(chunk);
      },
    }),
  );
}

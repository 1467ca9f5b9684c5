import { McpFailure } from '../mcp-failure.ts';

/** Maximum size of a response, or of one event of a stream. */
const LIMIT = 32 * 1024 * 1024;

const NEW_LINE = 10;

/** Passes the bytes on, and fails if a message is too long. */
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
          throw new McpFailure('The server sent a message of more than 32 MiB.', { lost: true });
        }
        controller.enqueue(chunk);
      },
    }),
  );
}

import type { IncomingMessage } from 'node:http';
import { Refused } from '../../chat/refused.ts';

export const JSON_BYTES_LIMIT = 256 * 1024;
/** Of all bodies that the process discards together. */
const DISCARDED_BYTES_PER_MS = 4096;
/** The connection of a body that takes longer is closed. */
const DISCARD_MS = 30_000;

/** The media type in lower case, without parameters. Undefined if missing or malformed. */
export function mediaTypeOf(incoming: IncomingMessage): string | undefined {
  const [, type] =
    /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;.*)?$/.exec(incoming.headers['content-type'] ?? '') ??
    [];
  return type?.toLowerCase();
}

/** Refuses a body that is too large, by its Content-Length or while reading. */
export async function readBody(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  // It emits no more events.
  if (incoming.destroyed) throw connectionClosed();
  const chunks: Buffer[] = [];
  let size = 0;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) {
      chunks.length = 0;
      incoming.pause();
      incoming.removeAllListeners('data');
      reject(tooLarge(limit));
    } else {
      chunks.push(chunk);
    }
  });
  const cut = () => reject(connectionClosed());
  incoming.once('end', () => {
    incoming.off('close', cut);
    resolve(Buffer.concat(chunks, size));
  });
  incoming.once('error', cut);
  incoming.once('close', cut);
  return await promise;
}

let discardedAt = 0;

/**
 * Discards the rest of a body that a response has not waited for. It must be read, because a connection that is closed
 * with unread data is reset, and the client may lose the response. It is read slowly, so that refused uploads of one client
 * do not occupy the process.
 */
export function discardBody(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  incoming.on('data', (chunk: Buffer) => {
    const now = performance.now();
    discardedAt = Math.max(now, discardedAt) + chunk.length / DISCARDED_BYTES_PER_MS;
    incoming.pause();
    setTimeout(() => incoming.resume(), discardedAt - now);
  });
  // A body that was too large is paused.
  incoming.resume();
  setTimeout(() => {
    if (!incoming.complete) incoming.socket.destroy();
  }, DISCARD_MS).unref();
}

const connectionClosed = () =>
  new Refused('invalid_request', 'The connection closed before the end of the body.');

function tooLarge(limit: number): Refused {
  return new Refused('body_too_large', `The body is larger than ${limit} bytes.`);
}

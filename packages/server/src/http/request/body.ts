import type { IncomingMessage } from 'node:http';
import { Refused } from '../../chat/refused.ts';

export const JSON_BYTES_LIMIT = 256 * 1024;

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
  const cut = () =>
    reject(new Refused('invalid_request', 'The connection closed before the end of the body.'));
  incoming.once('end', () => {
    incoming.off('close', cut);
    resolve(Buffer.concat(chunks, size));
  });
  incoming.once('error', cut);
  incoming.once('close', cut);
  return await promise;
}

function tooLarge(limit: number): Refused {
  return new Refused('body_too_large', `The body is larger than ${limit} bytes.`);
}

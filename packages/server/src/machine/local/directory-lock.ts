import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, realpath } from 'node:fs/promises';
import { createServer } from 'node:net';

/**
 * Excludes other processes of this computer from a directory until the returned function is called or this process ends,
 * however it ends. Undefined: another process has the lock.
 */
export async function lockDirectory(directory: string): Promise<(() => Promise<void>) | undefined> {
  await mkdir(directory, { recursive: true });
  const name = createHash('sha256')
    .update(await realpath(directory))
    .digest('hex');
  const server = createServer((socket) => socket.destroy());
  // An abstract socket disappears with its process. Exclusive: not shared by the processes of a cluster.
  server.listen({ path: `\0chatd-machine-${name}`, exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined;
    throw error;
  }
  server.unref();
  return async () => {
    const closed = once(server, 'close');
    server.close();
    await closed;
  };
}

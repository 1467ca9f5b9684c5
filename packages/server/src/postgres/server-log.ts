import { chown, open, rename, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { PostgresAccount } from './account.ts';

const ROTATE_ABOVE_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;
const TAIL_LINES = 20;

/** The log of PostgreSQL. Rotated only before a start, because a running server keeps its file open. */
export async function openLog(
  path: string,
  account: PostgresAccount | undefined,
): Promise<FileHandle> {
  const size = await sizeOf(path);
  if (size > ROTATE_ABOVE_BYTES) await rename(path, `${path}.1`);
  const handle = await open(path, 'a', 0o640);
  if (account !== undefined) await chown(path, account.uid, account.gid);
  return handle;
}

export async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** The last lines since an offset, so that a failed start shows only its own errors. */
export async function tailSince(path: string, offset: number): Promise<string> {
  const size = await sizeOf(path);
  const from = Math.max(Math.min(offset, size), size - TAIL_BYTES);
  const handle = await open(path, 'r').catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(size - from),
      0,
      size - from,
      from,
    );
    const lines = buffer.subarray(0, bytesRead).toString('utf8').trimEnd().split('\n');
    return lines.slice(-TAIL_LINES).join('\n');
  } finally {
    await handle.close();
  }
}

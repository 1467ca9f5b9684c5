import { execFile } from 'node:child_process';
import { chmod, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SOURCE = join(import.meta.dirname, 'unsynced-writes.c');
const HEADER_BYTES = 48;
const WRITTEN = 1n;
/** The atomic unit of disk writes. */
const BLOCK_BYTES = 4096;

/** An unsynced write and the bytes that it replaced. */
interface UnsyncedWrite {
  readonly offset: number;
  readonly length: number;
  readonly oldSize: number;
  readonly old: Buffer;
}

/** Selects the unsynced blocks that a power loss reverts. Default: all. */
export type IsLost = () => boolean;

/** Records the writes of a program below a directory, and reverts unsynced ones. */
export interface UnsyncedWrites {
  /** Environment variables for the program. */
  readonly environment: Readonly<Record<string, string>>;
  /** Reverts unsynced blocks after the program has ended. Resolves to the number of lost blocks. */
  lose(isLost?: IsLost): Promise<number>;
}

/** Requires a C compiler; otherwise resolves to the reason. */
export async function recordUnsyncedWrites(
  root: string,
  workIn: string,
): Promise<UnsyncedWrites | { readonly refused: string }> {
  const library = join(workIn, 'unsynced-writes.so');
  const journal = join(workIn, 'unsynced-writes.journal');
  try {
    await run('cc', ['-O2', '-shared', '-fPIC', '-o', library, SOURCE]);
  } catch (error) {
    return { refused: error instanceof Error ? error.message.trim() : String(error) };
  }
  await writeFile(journal, '');
  // PostgreSQL runs under another account if this process is root.
  await chmod(journal, 0o666);
  return {
    environment: {
      LD_PRELOAD: library,
      CHATD_POWER_ROOT: root,
      CHATD_POWER_JOURNAL: journal,
    },
    async lose(isLost = () => true) {
      const pending = unsynced(await readFile(journal));
      const paths = await pathsByInode(root);
      let lost = 0;
      for (const [inode, writes] of pending) {
        const path = paths.get(inode);
        if (path !== undefined) lost += await revert(path, writes, isLost);
      }
      await truncate(journal, 0);
      return lost;
    },
  };
}

/** Unsynced writes by inode, in order. */
function unsynced(journal: Buffer): Map<bigint, UnsyncedWrite[]> {
  const pending = new Map<bigint, UnsyncedWrite[]>();
  for (let at = 0; at + HEADER_BYTES <= journal.length;) {
    const field = (index: number) => journal.readBigInt64LE(at + index * 8);
    const [kind, inode, oldLength] = [field(0), field(1), Number(field(5))];
    const end = at + HEADER_BYTES + oldLength;
    if (kind === WRITTEN) {
      const writes = pending.get(inode) ?? [];
      writes.push({
        offset: Number(field(2)),
        length: Number(field(3)),
        oldSize: Number(field(4)),
        old: journal.subarray(at + HEADER_BYTES, end),
      });
      pending.set(inode, writes);
    } else pending.delete(inode);
    at = end;
  }
  return pending;
}

async function pathsByInode(root: string): Promise<Map<bigint, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [(await stat(path, { bigint: true })).ino, path] as const;
      }),
    ),
  );
}

/** Each written block keeps its current content or reverts to its last synced content. */
async function revert(
  path: string,
  writes: readonly UnsyncedWrite[],
  isLost: IsLost,
): Promise<number> {
  const now = await readFile(path);
  const size = Math.max(now.length, ...writes.map(({ oldSize }) => oldSize));
  const synced = Buffer.alloc(size);
  now.copy(synced);
  for (const { offset, old } of writes.toReversed()) old.copy(synced, offset);
  const syncedSize = writes[0]?.oldSize ?? now.length;
  const blocks = new Set(
    writes.flatMap(({ offset, length }) => blocksOf(offset, Math.min(offset + length, size))),
  );
  const lost = [...blocks].filter(() => isLost());
  const kept = [...blocks].filter((block) => !lost.includes(block));
  const end = Math.max(
    syncedSize,
    ...kept.map((block) => Math.min((block + 1) * BLOCK_BYTES, now.length)),
  );
  const file = await open(path, 'r+');
  try {
    for (const block of lost) {
      const from = block * BLOCK_BYTES;
      // Beyond the synced size, a lost block before a kept one becomes a hole.
      const bytes = Buffer.alloc(Math.min(BLOCK_BYTES, size - from));
      synced.copy(bytes, 0, from, Math.min(from + bytes.length, Math.max(syncedSize, from)));
      await file.write(bytes, 0, bytes.length, from);
    }
    await file.truncate(end);
  } finally {
    await file.close();
  }
  return lost.length;
}

function blocksOf(from: number, to: number): number[] {
  const first = Math.floor(from / BLOCK_BYTES);
  return Array.from(
    { length: Math.max(0, Math.ceil(to / BLOCK_BYTES) - first) },
    (_, n) => first + n,
  );
}

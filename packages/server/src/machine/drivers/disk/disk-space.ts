import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The disk that workspaces often share with the database. */
export interface DiskSpace {
  free(): Promise<number>;
  /** Bytes used by a folder. Infinity: too many files to measure in time. */
  usedBy(folder: string): Promise<number>;
}

const MEASURE_TIMEOUT_MS = 20_000;
/** The database needs inodes for its files too. */
const MIN_FREE_INODES = 10_000;

export function systemDiskSpace(directory: string): DiskSpace {
  return {
    async free() {
      const { bavail, bsize, files, ffree } = await statfs(directory);
      return files > 0 && ffree < MIN_FREE_INODES ? 0 : bavail * bsize;
    },
    usedBy,
  };
}

/** `du` follows no links and works with file descriptors, so the folder may change during the measurement. */
async function usedBy(folder: string): Promise<number> {
  const du = ['du', '--summarize', '--one-file-system', '--block-size=1', '--', folder];
  // An agent may have removed the permissions of its folders. As root of a user namespace, their owner can still read
  // them.
  const [program = '', ...args] =
    process.geteuid?.() === 0 ? du : ['unshare', '--user', '--map-root-user', ...du];
  const stdout = await run(program, args, { timeout: MEASURE_TIMEOUT_MS }).then(
    (done) => done.stdout,
    // `du` fails if a file disappears, but still prints the sum.
    (error: unknown) => (error instanceof Error && 'stdout' in error ? String(error.stdout) : ''),
  );
  const [, bytes] = /^(\d+)\t/.exec(stdout) ?? [];
  return bytes === undefined ? Infinity : Number(bytes);
}

import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What is known about the disk that workspaces and, often, the database share. */
export interface DiskSpace {
  /** Free space, in bytes. */
  free(): Promise<number>;
  /** Space that a folder takes, in bytes. Infinity: it has more files than can be counted in time. */
  usedBy(folder: string): Promise<number>;
}

const MEASURE_TIMEOUT_MS = 20_000;
/** Files need inodes, and the database makes files. */
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

/** `du` follows no link and walks by file descriptors, so the folder can change while it is measured. */
async function usedBy(folder: string): Promise<number> {
  const du = ['du', '--summarize', '--one-file-system', '--block-size=1', '--', folder];
  // An agent can take the rights to its folders away. As root of a user namespace, its owner still reads them.
  const [program = '', ...args] =
    process.geteuid?.() === 0 ? du : ['unshare', '--user', '--map-root-user', ...du];
  const stdout = await run(program, args, { timeout: MEASURE_TIMEOUT_MS }).then(
    (done) => done.stdout,
    // A file that went away in between is an error of `du`, which still prints the sum.
    (error: unknown) => (error instanceof Error && 'stdout' in error ? String(error.stdout) : ''),
  );
  const [, bytes] = /^(\d+)\t/.exec(stdout) ?? [];
  return bytes === undefined ? Infinity : Number(bytes);
}

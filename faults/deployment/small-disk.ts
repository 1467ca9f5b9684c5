import { execFile, execFileSync } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BLOCK = Buffer.alloc(64 * 1024, 1);

/** A separate file system that can be filled completely. */
export interface SmallDisk {
  readonly path: string;
  fill(): Promise<void>;
  free(): Promise<void>;
  unmount(): Promise<void>;
}

/** Requires root and a kernel that permits mounts; otherwise resolves to the reason. */
export async function mountSmallDisk(
  path: string,
  megabytes: number,
): Promise<SmallDisk | { readonly refused: string }> {
  await mkdir(path, { recursive: true });
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'tmpfs', path]);
  } catch (error) {
    await rm(path, { recursive: true });
    return { refused: error instanceof Error ? error.message.trim() : String(error) };
  }
  const unmountAtExit = () => execFileSync('umount', ['--lazy', path]);
  process.once('exit', unmountAtExit);
  const ballast = join(path, 'ballast');
  return {
    path,
    async fill() {
      const file = await open(ballast, 'a');
      try {
        for (;;) await file.write(BLOCK);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rm(ballast, { force: true }),
    async unmount() {
      process.off('exit', unmountAtExit);
      await run('umount', ['--lazy', path]);
      await rm(path, { recursive: true, force: true });
    },
  };
}

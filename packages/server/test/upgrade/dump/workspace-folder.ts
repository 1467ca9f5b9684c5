import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A tarball of the workspaces in a data directory, without files that every start recreates. */
export async function packFolder(dataDir: string): Promise<Uint8Array> {
  const { stdout } = await run(
    'tar',
    [
      '--create',
      '--gzip',
      '--format=ustar',
      '--numeric-owner',
      '--exclude=workspaces/.tools',
      '--exclude=.git/hooks',
      '--directory',
      dataDir,
      'workspaces',
    ],
    { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 },
  );
  return stdout;
}

import { type Sandbox, type ProcessRequest, SandboxFileError } from '../driver.ts';
import type { WorkspaceDisk } from './disk-guard.ts';

/** Writes fail with "File too large" instead of killing the program. */
const WITHOUT_WRITES = `trap '' XFSZ; ulimit -f 0; exec "$@"`;

/** Refuses writes while the workspace exceeds its limit or the disk is short. Reading and deleting still work. */
export function diskLimitedSandbox(sandbox: Sandbox, disk: WorkspaceDisk): Sandbox {
  let notice: string | undefined;
  const check = async (): Promise<boolean> => {
    const why = await disk.refusal();
    notice = why && `Files cannot be written: ${why}. Delete files to make room.`;
    return why === undefined;
  };
  const command = async (argv: ProcessRequest['argv']): Promise<ProcessRequest['argv']> =>
    (await check()) ? argv : ['/bin/sh', '-c', WITHOUT_WRITES, 'sh', ...argv];
  return {
    root: sandbox.root,
    shell: sandbox.shell,
    closed: sandbox.closed,
    ...(sandbox.display && { display: sandbox.display }),
    ...(sandbox.ports && { ports: sandbox.ports }),
    ...(sandbox.gateway && { gateway: sandbox.gateway }),
    get notice() {
      return notice;
    },
    files: {
      ...sandbox.files,
      async write(path, bytes, expected) {
        if (!(await check())) throw new SandboxFileError('no_space', `${path}: ${notice}`);
        return await sandbox.files.write(path, bytes, expected);
      },
    },
    run: async (request) => await sandbox.run({ ...request, argv: await command(request.argv) }),
    terminal: async (request) =>
      await sandbox.terminal({ ...request, argv: await command(request.argv) }),
    close: () => sandbox.close(),
  };
}

import { type Box, type Command, FileTrouble } from '../driver.ts';
import type { WorkspaceDisk } from './disk-guard.ts';

/** Writes fail with "File too large" instead of killing the program. */
const WITHOUT_WRITES = `trap '' XFSZ; ulimit -f 0; exec "$@"`;

/** A box in which nothing is written while its workspace is over its limit, or the disk short. Reading and deleting go on. */
export function diskLimitedBox(box: Box, disk: WorkspaceDisk): Box {
  let notice: string | undefined;
  const check = async (): Promise<boolean> => {
    const why = await disk.refusal();
    notice = why && `Files cannot be written: ${why}. Delete files to make room.`;
    return why === undefined;
  };
  const command = async (argv: Command['argv']): Promise<Command['argv']> =>
    (await check()) ? argv : ['/bin/sh', '-c', WITHOUT_WRITES, 'sh', ...argv];
  return {
    root: box.root,
    shell: box.shell,
    closed: box.closed,
    ...(box.display && { display: box.display }),
    get notice() {
      return notice;
    },
    files: {
      ...box.files,
      async write(path, bytes) {
        if (!(await check())) throw new FileTrouble('no_space', `${path}: ${notice}`);
        return await box.files.write(path, bytes);
      },
    },
    run: async (request) => await box.run({ ...request, argv: await command(request.argv) }),
    terminal: async (request) =>
      await box.terminal({ ...request, argv: await command(request.argv) }),
    close: () => box.close(),
  };
}

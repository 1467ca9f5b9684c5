import { cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const NAME = '@lydell/node-pty';

/** The pseudo-terminal package and the one with its binary. Undefined: not available for this platform. */
export interface PtyPackage {
  readonly version: string;
  copyInto(folder: string): Promise<void>;
}

export function ptyPackage(): PtyPackage | undefined {
  const binary = `${NAME}-${process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    const main = require.resolve(NAME);
    const { version } = createRequire(main)('./package.json') as { version: string };
    const folders = new Map([
      [NAME, dirname(main)],
      [binary, dirname(createRequire(main).resolve(`${binary}/pty.node`))],
    ]);
    return {
      version: `${binary}@${version}`,
      async copyInto(target) {
        for (const [name, source] of folders) {
          const copy = join(target, 'node_modules', name);
          await mkdir(dirname(copy), { recursive: true });
          await cp(source, copy, { recursive: true });
        }
      },
    };
  } catch {
    return undefined;
  }
}

import { posix } from 'node:path';
import { SandboxFileError } from '../driver.ts';

/** A path as the model gives it, absolute: relative ones are from the root. What leads out of it is refused. */
export function insideRoot(root: string, path: string): string {
  if (path.includes('\0')) throw new SandboxFileError('outside', 'The path holds a NUL character.');
  const absolute = posix.resolve(root, path);
  if (absolute === root || absolute.startsWith(`${root}/`)) return absolute;
  throw new SandboxFileError(
    'outside',
    `${path} is outside of the workspace (${root}): nothing was read or written. Use a path inside it.`,
  );
}

/** As the model sees it best: relative to the root. */
export const shownPath = (root: string, absolute: string): string =>
  absolute === root ? '.' : absolute.slice(root.length + 1);

import { posix } from 'node:path';
import { SandboxFileError } from '../../machine/drivers/driver.ts';

/** Resolves a path relative to the root. Refuses paths outside the root. */
export function insideRoot(root: string, path: string): string {
  if (path.includes('\0'))
    throw new SandboxFileError('outside', 'The path contains a NUL character.');
  const absolute = posix.resolve(root, path);
  if (absolute === root || absolute.startsWith(`${root}/`)) return absolute;
  throw new SandboxFileError(
    'outside',
    `${path} is outside the workspace (${root}). Use a path inside it.`,
  );
}

/** Relative to the root, as shown to the model. */
export const shownPath = (root: string, absolute: string): string =>
  absolute === root ? '.' : absolute.slice(root.length + 1);

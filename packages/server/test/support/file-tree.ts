import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Every entry of a folder with its permissions and content, except what checkpoints exclude. */
export function fileTree(root: string, below = ''): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(root, below)).flatMap((name): [string, string][] => {
      const path = below === '' ? name : `${below}/${name}`;
      if (name === '.git' || name === 'node_modules') return [];
      const found = lstatSync(join(root, path));
      if (found.isSymbolicLink()) return [[path, `-> ${readlinkSync(join(root, path))}`]];
      if (found.isDirectory()) return [[path, 'folder'], ...Object.entries(fileTree(root, path))];
      const content = readFileSync(join(root, path)).toString('latin1');
      return [[path, `${(found.mode & 0o777).toString(8)} ${content}`]];
    }),
  );
}

import { CheckpointsUnavailable } from './hosted-checkpoints.ts';
import { type GitScript, type IsolatedGitOptions, runGit } from './isolated-git.ts';
import { SET_ENTRIES } from './store-scripts.ts';

/*
 * File names can be any bytes. In the store, each character of a path is one byte.
 */

export const MAX_LIST_BYTES = 128 * 1024 * 1024;

/** Git on the store of a workspace. */
export class StoreGit {
  readonly #options: IsolatedGitOptions;

  constructor(options: IsolatedGitOptions) {
    this.#options = options;
  }

  async run(request: GitScript) {
    return await runGit(this.#options, request);
  }

  /** Lists of paths, each ended by NUL. An empty path separates them. */
  async lists(request: Omit<GitScript, 'limit'>): Promise<string[][]> {
    const { stdout, cut } = await this.run({ ...request, limit: MAX_LIST_BYTES });
    if (cut) throw new CheckpointsUnavailable('The workspace has too many files for checkpoints.');
    const lists: string[][] = [[]];
    for (const path of stdout.toString('latin1').split('\0')) {
      if (path === '') lists.push([]);
      else lists.at(-1)?.push(path);
    }
    return lists;
  }

  async setEntries(entries: readonly string[], index = 'index'): Promise<void> {
    const stdin = joined(entries);
    await this.run({ script: SET_ENTRIES, args: [index], stdin, limit: MAX_LIST_BYTES });
  }
}

/** The entry that removes a path from an index. */
export const removed = (path: string): string => `0 ${'0'.repeat(40)}\t${path}`;

export const joined = (entries: readonly string[]): string =>
  entries.map((entry) => `${entry}\0`).join('');

/** The folders above a path, the closest first. */
export function ancestors(path: string): string[] {
  const found: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    found.push(path.slice(0, at));
  }
  return found;
}

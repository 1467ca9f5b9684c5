import { modesToSet, parseModes } from './file-modes.ts';
import type { FolderScan } from './folder-scan.ts';
import { ancestors, joined, MAX_LIST_BYTES, type StoreGit } from './store-git.ts';
import { COMPARE, CONTENTS, PLAN, RESTORE } from './store-scripts.ts';

const MAX_CONFLICTS = 1000;

/** The records of a restore. */
export interface RestoredStates {
  /** The last record of the agent. Null: there is none. */
  readonly last: string | null;
  readonly present: string;
  readonly target: string;
}

interface RestorePlan {
  readonly removedFolders: readonly string[];
  readonly deleted: readonly string[];
  readonly gone: readonly string[];
  readonly folders: readonly string[];
  readonly modes: readonly string[];
}

/** Restores the files of a record. */
export class Restore {
  readonly #git: StoreGit;
  readonly #scan: FolderScan;

  constructor(git: StoreGit, scan: FolderScan) {
    this.#git = git;
    this.#scan = scan;
  }

  /** Files that a restore would overwrite although the agent did not write them. */
  async conflicts(states: RestoredStates): Promise<string[]> {
    const args = [states.last ?? '', states.present, states.target];
    const [byOthers = [], touched = []] = await this.#git.lists({ script: COMPARE, args });
    const changed = new Set(byOthers);
    const statuses = statusesOf(touched);
    const found = new Set<string>();
    const folders: string[] = [];
    for (const [path, status] of statuses) {
      if (found.size >= MAX_CONFLICTS) break;
      if (changed.has(path)) found.add(path);
      else if (status === 'A') {
        const obstacle = await this.#obstacle(path);
        if (obstacle?.isFolder === true) folders.push(path);
        else if (obstacle !== undefined && statuses.get(obstacle.path) !== 'D')
          found.add(obstacle.path);
      }
    }
    for (const path of await this.#unrecorded(folders, statuses)) found.add(path);
    return [...found].slice(0, MAX_CONFLICTS);
  }

  async plan(present: string, target: string): Promise<RestorePlan> {
    const lists = await this.#git.lists({ script: PLAN, args: [present, target] });
    const [touched = [], hadFolders = [], folders = [], large = []] = lists;
    const [hadModes = [], modes = []] = lists.slice(4);
    const statuses = statusesOf(touched);
    const isPlaced = (path: string) => /[AT]/.test(statuses.get(path) ?? '');
    const keptFolders = new Set(folders);
    const keptFiles = new Set(large);
    const gone = [...statuses.keys()].filter((path) => statuses.get(path) === 'D');
    return {
      // The deepest first.
      removedFolders: hadFolders.filter((folder) => !keptFolders.has(folder)).sort(descending),
      // What is below a new file is replaced with its folder. A file that was too large cannot come back: it stays.
      deleted: gone.filter((path) => !keptFiles.has(path) && !ancestors(path).some(isPlaced)),
      gone,
      folders,
      modes: modesToSet(parseModes(hadModes), parseModes(modes), new Set(statuses.keys())),
    };
  }

  /** False: a file has changed since the index was written, so nothing was done. */
  async apply(target: string, plan: RestorePlan, check: 'checked' | 'forced'): Promise<boolean> {
    const parents = new Set(plan.deleted.flatMap((path) => ancestors(path).slice(0, 1)));
    const { stdout } = await this.#git.run({
      script: RESTORE,
      args: [target, check],
      stdin: joined(plan.removedFolders),
      more: [
        joined(plan.deleted.map((path) => `./${path}`)),
        joined([...parents].sort(descending)),
        joined(plan.folders),
        joined(plan.modes),
        joined(plan.gone),
      ],
      writes: 'files',
      limit: MAX_LIST_BYTES,
    });
    return stdout.toString() !== 'changed';
  }

  /** What is in the way of a new file: something at its path, or instead of a folder above it. */
  async #obstacle(
    path: string,
  ): Promise<{ readonly path: string; readonly isFolder: boolean } | undefined> {
    for (const at of [...ancestors(path).toReversed(), path]) {
      const found = await this.#scan.stat(at);
      if (found === undefined) return undefined;
      if (!found.isDirectory()) return { path: at, isFolder: false };
    }
    return { path, isFolder: true };
  }

  /** The folders that have more in them than files which the restore deletes. */
  async #unrecorded(
    folders: readonly string[],
    statuses: ReadonlyMap<string, string>,
  ): Promise<Set<string>> {
    if (folders.length === 0) return new Set();
    const stdin = joined(folders.map((path) => `./${path}`));
    const [contents = []] = await this.#git.lists({ script: CONTENTS, stdin });
    const left = contents
      .map((path) => path.slice(2))
      .filter((path) => statuses.get(path) !== 'D')
      .flatMap(ancestors);
    const full = new Set(left);
    return new Set(folders.filter((path) => full.has(path)));
  }
}

const descending = (a: string, b: string) => (a < b ? 1 : -1);

/** From `git diff-tree -z --name-status`. */
function statusesOf(fields: readonly string[]): Map<string, string> {
  const statuses = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [status = '', path = ''] = fields.slice(at, at + 2);
    statuses.set(path, status);
  }
  return statuses;
}

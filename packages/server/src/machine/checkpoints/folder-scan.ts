import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { permissions } from './file-modes.ts';
import { ancestors, joined, removed, type StoreGit } from './store-git.ts';
import { EXPAND, SCAN } from './store-scripts.ts';

/** Larger files are left out. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_FOLDERS = 10_000;
const STAT_BATCH = 256;

/** How the files differ from the index. */
export interface Scan {
  /** Files to read: new ones, and those whose metadata changed. */
  readonly add: readonly Measured[];
  /** Indexed files to forget: deleted, too large, or no longer files. */
  readonly drop: readonly string[];
  readonly folders: readonly string[];
  readonly tooLarge: readonly string[];
  /** Another scan is necessary after these changes. */
  readonly again: boolean;
}

interface Measured {
  readonly path: string;
  /** `other`: nothing, a folder, a socket, or beyond a symbolic link. */
  readonly kind: 'file' | 'other';
  readonly size: number;
  readonly isLink: boolean;
  readonly mode: number;
  /** In milliseconds since the epoch. */
  readonly changedAt: number;
}

/** Finds the files that changed since the index was written. */
export class FolderScan {
  readonly #git: StoreGit;
  /** The files of the workspace. */
  readonly #files: string;
  /** When files changed that were read within the same second. The index has whole seconds. */
  readonly #fresh = new Map<string, number>();

  constructor(git: StoreGit, files: string) {
    this.#git = git;
    this.#files = files;
  }

  async scan(): Promise<Scan> {
    const [others = [], indexed = []] = await this.#git.lists({ script: SCAN });
    const untracked = others.filter((path) => path.endsWith('/'));
    const { files, folders } = await this.#expand(untracked);
    const candidates = [...others.filter((path) => !path.endsWith('/')), ...files].filter(
      isRecordable,
    );
    const fresh = (await this.#measure(candidates)).filter(({ kind }) => kind === 'file');
    const known = await this.#measure([...new Set([...indexed, ...(await this.#changedAgain())])]);
    const stays = known.filter((file) => file.kind === 'file' && !isLarge(file));
    const kept = new Set(stays);
    const leaves = known.filter((file) => !kept.has(file));
    const add = [...fresh.filter((file) => !isLarge(file)), ...stays];
    for (const { path, changedAt } of add) {
      if (isOfThisSecond(changedAt)) this.#fresh.set(path, changedAt);
    }
    for (const { path } of leaves) this.#fresh.delete(path);
    const full = new Set(add.map(pathOf).flatMap(ancestors));
    return {
      add,
      drop: leaves.map(pathOf),
      folders: folders.filter((folder) => !full.has(folder)).slice(0, MAX_FOLDERS),
      tooLarge: [...fresh, ...known].filter(isLarge).map(pathOf),
      again: leaves.length > 0,
    };
  }

  /** Files whose permissions git would miss, because they changed within the second in which they were read. */
  async #changedAgain(): Promise<string[]> {
    const changed: string[] = [];
    for (const [path, changedAt] of this.#fresh) {
      if ((await this.stat(path))?.ctimeMs !== changedAt) changed.push(path);
      if (!isOfThisSecond(changedAt)) this.#fresh.delete(path);
    }
    return changed;
  }

  /** What is in folders that have no indexed file: new and empty folders, and new repositories. */
  async #expand(
    untracked: readonly string[],
  ): Promise<{ readonly files: readonly string[]; readonly folders: readonly string[] }> {
    if (untracked.length === 0) return { files: [], folders: [] };
    const request = { script: EXPAND, stdin: joined(untracked.map((path) => `./${path}`)) };
    const look = async () => {
      const [files = [], found = []] = await this.#git.lists(request);
      return { files, found: found.map((path) => path.slice(2).replace(/\/$/, '')) };
    };
    let { files, found } = await look();
    const repositories = found
      .filter((path) => path.endsWith('/.git'))
      .map((path) => path.slice(0, -5));
    if (repositories.length > 0) {
      // Git does not look into a repository, unless a file in it is indexed.
      const seeds = repositories.map((path) => `${path}/${SEED}`);
      await this.#git.setEntries(seeds.map((path) => `100644 ${EMPTY_BLOB} 0\t${path}`));
      ({ files, found } = await look());
      await this.#git.setEntries(seeds.map(removed));
    }
    return {
      files: files.filter((path) => !path.endsWith('/')),
      folders: found.filter((path) => !path.endsWith('/.git')),
    };
  }

  /** In the process of the machine: a link in the path could only falsify the size. */
  async #measure(paths: readonly string[]): Promise<Measured[]> {
    const measured: Measured[] = [];
    const folders = new Map<string, Promise<boolean>>();
    const isFolder = (path: string) => {
      const known =
        folders.get(path) ?? this.stat(path).then((found) => found?.isDirectory() === true);
      folders.set(path, known);
      return known;
    };
    for (let at = 0; at < paths.length; at += STAT_BATCH) {
      const batch = paths.slice(at, at + STAT_BATCH).map(async (path) => {
        const above = await Promise.all(ancestors(path).map(isFolder));
        const found = above.includes(false) ? undefined : await this.stat(path);
        return {
          path,
          kind: kindOf(found),
          size: found?.isFile() === true ? found.size : 0,
          isLink: found?.isSymbolicLink() === true,
          mode: permissions(found?.mode ?? 0),
          changedAt: found?.ctimeMs ?? 0,
        };
      });
      measured.push(...(await Promise.all(batch)));
    }
    return measured;
  }

  /** Undefined: nothing is at this path. */
  async stat(path: string): Promise<Stats | undefined> {
    const at = Buffer.from(`${this.#files}/`);
    return await lstat(Buffer.concat([at, Buffer.from(path, 'latin1')])).catch(() => undefined);
  }
}

const isLarge = ({ size }: Measured) => size > MAX_FILE_BYTES;
export const pathOf = ({ path }: Measured) => path;

const kindOf = (found: Stats | undefined): Measured['kind'] =>
  found?.isFile() === true || found?.isSymbolicLink() === true ? 'file' : 'other';

/** The clock of files may be behind. */
const isOfThisSecond = (time: number) =>
  Math.floor(time / 1000) >= Math.floor((Date.now() - 100) / 1000);

const SEED = '.chatd-checkpoint';
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

/** Git refuses other spellings of `.git` as well. */
const isRecordable = (path: string) => !/(^|\/)\.git(\/|$)/i.test(path);

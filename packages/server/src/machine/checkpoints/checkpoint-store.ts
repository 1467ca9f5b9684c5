import { existsSync, type Stats } from 'node:fs';
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type CheckpointChanges,
  CheckpointsUnavailable,
  type PrunedRecords,
  type RecoverableCheckpoints,
  type SavedCheckpoint,
} from './hosted-checkpoints.ts';
import { chownTo, directoriesOf } from '../drivers/host/directories.ts';
import { hasProgram } from '../display/find-program.ts';
import { GitFailed, type GitScript, type IsolatedGitOptions, runGit } from './isolated-git.ts';
import { isUsual, modeEntry, modesToSet, octal, parseModes, permissions } from './file-modes.ts';
import { RestoreJournal, type RestoreRecord } from './restore-journal.ts';
import { writeStoreFiles } from './store-files.ts';
import {
  CHANGES,
  COMPARE,
  CONTENTS,
  COPY,
  DELETE,
  EXPAND,
  LIST,
  PATCH,
  PLAN,
  RECORD,
  RESTORE,
  SCAN,
  SET_ENTRIES,
  UPDATE,
} from './store-scripts.ts';

/*
 * A bare git object store beside the workspace. The index is kept between checkpoints, so that only files whose metadata
 * changed are read. A record has the files, and what git does not know: empty folders, unusual permissions, and which
 * files were too large. `.git` folders are not recorded. The machine runs one operation on a workspace at a time.
 */

/** Larger files are left out. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Above this, new content is written as one pack instead of one file each. */
const MANY_FILES = 500;
const MAX_LIST_BYTES = 128 * 1024 * 1024;
const MAX_FOLDERS = 10_000;
const MAX_CHANGES_BYTES = 1024 * 1024;
const MAX_PATCH_BYTES = 512 * 1024;
const MAX_REPORTED = 100;
const MAX_CONFLICTS = 1000;
/** Deletions can leave an empty folder, which the next scan finds. */
const MAX_ROUNDS = 4;
const STAT_BATCH = 256;

interface Scan {
  /** Files to read: new ones, and those whose metadata changed. */
  readonly add: readonly Measured[];
  /** Indexed files to forget: deleted, too large, or no longer files. */
  readonly drop: readonly string[];
  readonly folders: readonly string[];
  readonly tooLarge: readonly string[];
  /** Another scan is necessary after these changes. */
  readonly again: boolean;
}

export class CheckpointStore implements RecoverableCheckpoints {
  readonly #options: IsolatedGitOptions;
  #ready: Promise<void> | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  readonly #journal: RestoreJournal;
  #last: Last | undefined;
  /** The last restore. */
  #restored: RestoreRecord | undefined;
  /** There are files with unusual permissions, or were. */
  #hasModes = false;
  /** When files changed that were read within the same second. The index has whole seconds. */
  readonly #fresh = new Map<string, number>();

  constructor(options: IsolatedGitOptions) {
    this.#options = options;
    this.#journal = new RestoreJournal(options.directories.checkpoints);
  }

  save(id: string, base: string | null): Promise<SavedCheckpoint> {
    return this.#alone(() => this.#save(id, base));
  }

  diff(from: string, to: string): Promise<CheckpointChanges> {
    return this.#alone(async () => {
      const args = [from, to];
      const [changes, patch] = await Promise.all([
        this.#git({ script: CHANGES, args, limit: MAX_CHANGES_BYTES }),
        this.#git({ script: PATCH, args, limit: MAX_PATCH_BYTES }),
      ]);
      return {
        changes: changes.stdout.toString('utf8'),
        changesCut: changes.cut,
        patch: patch.stdout.toString('utf8'),
        patchCut: patch.cut,
      };
    });
  }

  conflicts(states: {
    readonly last: string | null;
    readonly present: string;
    readonly target: string;
  }): Promise<readonly string[]> {
    return this.#alone(async () => {
      const args = [states.last ?? '', states.present, states.target];
      const [byOthers = [], touched = []] = await this.#lists({ script: COMPARE, args });
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
      return [...found].slice(0, MAX_CONFLICTS).map(shown);
    });
  }

  restore(id: string, target: string, expected: string): Promise<boolean> {
    return this.#alone(async () => {
      if (this.#restored?.id === id) return true;
      const { tree } = await this.#save(id, null);
      if (tree !== expected) return false;
      // Fails if the content of the target is lost, before anything is changed.
      const plan = await this.#plan(tree, target);
      const record = { id, target, isDone: false };
      await this.#journal.write(record);
      this.#restored = record;
      if (await this.#apply(target, plan, 'checked')) {
        await this.#done(record);
        return true;
      }
      this.#restored = undefined;
      await this.#journal.clear();
      return false;
    });
  }

  /** Completes a restore that was cut off. Call it before anything else uses the files. */
  async recover(): Promise<void> {
    if ((await this.#journal.read())?.isDone === false) await this.#alone(async () => undefined);
  }

  adopt(id: string, tree: string, workspaceId: string): Promise<void> {
    return this.#alone(async () => {
      const { directories } = this.#options;
      const from = directoriesOf(dirname(directories.base), workspaceId).checkpoints;
      const args = [id, tree];
      await this.#git({ script: COPY, args, from, limit: MAX_LIST_BYTES });
      const record = { id, target: tree, isDone: false };
      await this.#journal.write(record);
      this.#restored = record;
      await this.#complete(record);
    });
  }

  prune({ keep, remove, before }: PrunedRecords): Promise<void> {
    return this.#alone(async () => {
      const { stdout } = await this.#git({ script: LIST, limit: MAX_LIST_BYTES });
      const names = stdout.toString('latin1').split('\n');
      const kept = new Set(keep);
      const removed = new Set(remove);
      const gone = names.filter(
        (id) => id !== '' && (removed.has(id) || (!kept.has(id) && createdAt(id) < before)),
      );
      if (gone.length === 0) return;
      // Its content may be gone, too.
      this.#last = undefined;
      const stdin = gone.map((id) => `${id}\n`).join('');
      await this.#git({ script: DELETE, stdin, limit: MAX_LIST_BYTES });
    });
  }

  async #plan(present: string, target: string): Promise<RestorePlan> {
    const lists = await this.#lists({ script: PLAN, args: [present, target] });
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
  async #apply(target: string, plan: RestorePlan, check: 'checked' | 'forced'): Promise<boolean> {
    const parents = new Set(plan.deleted.flatMap((path) => ancestors(path).slice(0, 1)));
    const { stdout } = await this.#git({
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

  async #done(record: RestoreRecord): Promise<void> {
    this.#restored = { ...record, isDone: true };
    await this.#journal.write(this.#restored);
  }

  /** The files may be half restored. Whatever they are, they become those of the target. */
  async #complete(record: RestoreRecord): Promise<void> {
    const { tree } = await this.#save(record.id, null);
    await this.#apply(record.target, await this.#plan(tree, record.target), 'forced');
    await this.#done(record);
  }

  /** What is in the way of a new file: something at its path, or instead of a folder above it. */
  async #obstacle(
    path: string,
  ): Promise<{ readonly path: string; readonly isFolder: boolean } | undefined> {
    for (const at of [...ancestors(path).toReversed(), path]) {
      const found = await this.#stat(at);
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
    const [contents = []] = await this.#lists({ script: CONTENTS, stdin });
    const left = contents
      .map((path) => path.slice(2))
      .filter((path) => statuses.get(path) !== 'D')
      .flatMap(ancestors);
    const full = new Set(left);
    return new Set(folders.filter((path) => full.has(path)));
  }

  async #save(id: string, base: string | null): Promise<SavedCheckpoint> {
    let scan = await this.#scan();
    const same = scan.add.length + scan.drop.length === 0 && listsOf(scan) === this.#last?.lists;
    const known = same ? changesSince(this.#last, base) : undefined;
    if (this.#last !== undefined && known !== undefined) {
      await this.#refer(id, this.#last.tree);
      return { tree: this.#last.tree, changes: known.changes, tooLarge: reported(scan) };
    }
    this.#last = undefined;
    for (let round = 1; scan.again && round < MAX_ROUNDS; round++) {
      await this.#update(scan);
      scan = await this.#scan();
    }
    if (scan.drop.length > 0) await this.#drop(scan.drop);
    const { args, stdin, modes } = this.#updateOf(scan);
    const lists = { folders: joined(scan.folders), large: joined(scan.tooLarge) };
    const { stdout } = await this.#git({
      script: RECORD,
      args: [...args, id, base ?? '', flag(lists.folders), flag(lists.large)],
      stdin,
      more: [lists.folders, modes, lists.large],
      limit: MAX_CHANGES_BYTES,
    });
    const text = stdout.toString('utf8');
    const end = text.indexOf('\0');
    const rest = text.slice(end + 1);
    const saved = {
      tree: text.slice(0, end),
      changes: rest.startsWith('1\0') ? rest.slice(2) : null,
      tooLarge: reported(scan),
    };
    this.#last = { ...saved, base, lists: listsOf(scan) };
    return saved;
  }

  /** What `git update-ref` does for a tree that is stored already, without starting a program. */
  async #refer(id: string, tree: string): Promise<void> {
    const { directories, account } = this.#options;
    const folder = join(directories.checkpoints, 'refs', 'checkpoints');
    const written = join(directories.checkpoints, `new-${id}`);
    await mkdir(folder, { recursive: true });
    await chownTo(folder, account);
    await rm(written, { force: true });
    await writeFile(written, `${tree}\n`, { flush: true, flag: 'wx' });
    await chownTo(written, account);
    await rename(written, join(folder, id));
  }

  async #update(scan: Scan): Promise<void> {
    await this.#drop(scan.drop);
    const { args, stdin, modes } = this.#updateOf(scan);
    await this.#git({ script: UPDATE, args, stdin, more: ['', modes], limit: MAX_LIST_BYTES });
  }

  /** The first arguments and the input of UPDATE. */
  #updateOf({ add }: Scan) {
    const unusual = add.filter(({ isLink, mode }) => !isLink && !isUsual(mode));
    if (unusual.length > 0) this.#hasModes = true;
    const threshold = add.length > MANY_FILES ? '1' : '512m';
    const values = [...new Set(unusual.map(({ mode }) => octal(mode)))].join(' ');
    const entries = add.map((file) =>
      file.isLink || isUsual(file.mode) ? removed(file.path) : modeEntry(file.path, file.mode),
    );
    return {
      args: [add.length === 0 ? '0' : threshold, this.#hasModes ? values : 'none'],
      stdin: joined(add.map(pathOf)),
      modes: this.#hasModes ? joined(entries) : '',
    };
  }

  async #drop(paths: readonly string[]): Promise<void> {
    const entries = paths.map(removed);
    if (this.#hasModes) await this.#setEntries(entries, 'modes');
    await this.#setEntries(entries);
  }

  async #scan(): Promise<Scan> {
    const [others = [], indexed = []] = await this.#lists({ script: SCAN });
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
      if ((await this.#stat(path))?.ctimeMs !== changedAt) changed.push(path);
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
      const [files = [], found = []] = await this.#lists(request);
      return { files, found: found.map((path) => path.slice(2).replace(/\/$/, '')) };
    };
    let { files, found } = await look();
    const repositories = found
      .filter((path) => path.endsWith('/.git'))
      .map((path) => path.slice(0, -5));
    if (repositories.length > 0) {
      // Git does not look into a repository, unless a file in it is indexed.
      const seeds = repositories.map((path) => `${path}/${SEED}`);
      await this.#setEntries(seeds.map((path) => `100644 ${EMPTY_BLOB} 0\t${path}`));
      ({ files, found } = await look());
      await this.#setEntries(seeds.map(removed));
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
        folders.get(path) ?? this.#stat(path).then((found) => found?.isDirectory() === true);
      folders.set(path, known);
      return known;
    };
    for (let at = 0; at < paths.length; at += STAT_BATCH) {
      const batch = paths.slice(at, at + STAT_BATCH).map(async (path) => {
        const above = await Promise.all(ancestors(path).map(isFolder));
        const found = above.includes(false) ? undefined : await this.#stat(path);
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

  async #stat(path: string) {
    const at = Buffer.from(`${this.#options.directories.files}/`);
    return await lstat(Buffer.concat([at, Buffer.from(path, 'latin1')])).catch(() => undefined);
  }

  async #setEntries(entries: readonly string[], index = 'index'): Promise<void> {
    const stdin = joined(entries);
    await this.#git({ script: SET_ENTRIES, args: [index], stdin, limit: MAX_LIST_BYTES });
  }

  /** Lists of paths, each ended by NUL. An empty path separates them. */
  async #lists(request: Omit<GitScript, 'limit'>): Promise<string[][]> {
    const { stdout, cut } = await this.#git({ ...request, limit: MAX_LIST_BYTES });
    if (cut) throw new CheckpointsUnavailable('The workspace has too many files for checkpoints.');
    const lists: string[][] = [[]];
    for (const path of stdout.toString('latin1').split('\0')) {
      if (path === '') lists.push([]);
      else lists.at(-1)?.push(path);
    }
    return lists;
  }

  async #git(request: GitScript) {
    return await runGit(this.#options, request);
  }

  /** One operation at a time, and none on files that are half restored. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    const attempt = async () => {
      this.#ready ??= this.#prepare();
      await this.#ready;
      if (this.#restored?.isDone === false) await this.#complete(this.#restored);
      return await act();
    };
    const attempts = async () => {
      try {
        return await attempt().catch(async (error: unknown) => {
          if (!(error instanceof GitFailed)) throw error;
          // A damaged index is rebuilt from the files. Other failures may come from files that changed meanwhile.
          if (/index file/.test(error.message)) await this.#forgetIndex();
          return await attempt();
        });
      } catch (error) {
        throw error instanceof GitFailed ? explained(error) : error;
      }
    };
    const done = this.#queue.then(attempts, attempts);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #forgetIndex(): Promise<void> {
    this.#last = undefined;
    this.#hasModes = false;
    for (const name of ['index', 'modes']) {
      await rm(join(this.#options.directories.checkpoints, name), { force: true });
    }
  }

  async #prepare(): Promise<void> {
    const { directories, account, support } = this.#options;
    const folder = directories.checkpoints;
    try {
      // The store belongs to the account of the agent, so only a sandbox protects it.
      if (!support.works && account !== undefined) {
        throw new CheckpointsUnavailable(
          'There are no checkpoints, because workspaces on this machine have no sandbox. Run chatd doctor there.',
        );
      }
      if (!hasProgram('git')) {
        throw new CheckpointsUnavailable(
          'There are no checkpoints, because git is not installed on the machine of the workspace. Install git there.',
        );
      }
      await writeStoreFiles(folder, account);
      this.#restored = await this.#journal.read();
      this.#hasModes = existsSync(join(folder, 'modes'));
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }
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

const isLarge = ({ size }: Measured) => size > MAX_FILE_BYTES;
const pathOf = ({ path }: Measured) => path;

const kindOf = (found: Stats | undefined): Measured['kind'] =>
  found?.isFile() === true || found?.isSymbolicLink() === true ? 'file' : 'other';

/** File names can be any bytes: within this file, each character is one byte. */
const shown = (path: string) => Buffer.from(path, 'latin1').toString('utf8');

/** The last record of this process. */
interface Last {
  readonly tree: string;
  readonly lists: string;
  readonly base: string | null;
  readonly changes: string | null;
}

/** Undefined: unknown. */
function changesSince(
  last: Last | undefined,
  base: string | null,
): { readonly changes: string | null } | undefined {
  if (last === undefined) return undefined;
  if (base === null) return { changes: null };
  if (base === last.tree) return { changes: '' };
  return base === last.base ? { changes: last.changes } : undefined;
}

interface RestorePlan {
  readonly removedFolders: readonly string[];
  readonly deleted: readonly string[];
  readonly gone: readonly string[];
  readonly folders: readonly string[];
  readonly modes: readonly string[];
}

/** The clock of files may be behind. */
const isOfThisSecond = (time: number) =>
  Math.floor(time / 1000) >= Math.floor((Date.now() - 100) / 1000);

const listsOf = ({ folders, tooLarge }: Scan) => `${joined(folders)}\0${joined(tooLarge)}`;
const flag = (list: string) => (list === '' ? '' : 'some');
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

/** The time in a UUID of version 7, in milliseconds since the epoch. */
const createdAt = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

const reported = ({ tooLarge }: Scan) => tooLarge.slice(0, MAX_REPORTED).map(shown);

const SEED = '.chatd-checkpoint';
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
const removed = (path: string) => `0 ${'0'.repeat(40)}\t${path}`;
const joined = (entries: readonly string[]) => entries.map((entry) => `${entry}\0`).join('');

/** Git refuses other spellings of `.git` as well. */
const isRecordable = (path: string) => !/(^|\/)\.git(\/|$)/i.test(path);

function ancestors(path: string): string[] {
  const found: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    found.push(path.slice(0, at));
  }
  return found;
}

function explained(error: GitFailed): Error {
  if (
    /invalid object name|Not a valid object name|unknown revision|bad object|path 'files'/i.test(
      error.message,
    )
  ) {
    return new CheckpointsUnavailable('The content of this checkpoint is no longer stored.');
  }
  return new CheckpointsUnavailable(`The files could not be recorded: ${error.message}`);
}

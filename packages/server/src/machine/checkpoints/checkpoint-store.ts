import type { Stats } from 'node:fs';
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CheckpointChanges,
  CheckpointsUnavailable,
  type HostedCheckpoints,
  type SavedCheckpoint,
} from './hosted-checkpoints.ts';
import { chownTo } from '../drivers/host/directories.ts';
import { hasProgram } from '../display/find-program.ts';
import { GitFailed, type GitScript, type IsolatedGitOptions, runGit } from './isolated-git.ts';
import { LEFT_OUT, writeStoreFiles } from './store-files.ts';

/*
 * A bare git object store beside the workspace. The index is kept between checkpoints, so that only files whose metadata
 * changed are read. A record is a tree with two entries: `files`, and `folders`, the list of empty folders, which git does
 * not know. `.git` folders are not recorded. The machine runs one operation on a workspace at a time.
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

/** Paths that are not in the index (folders without any indexed file end with a slash), then indexed paths to check. */
const SCAN = `rm -f "$GIT_DIR/index.lock"
indexed=$(mktemp)
git diff-files -z --name-only >"$indexed" &
git ls-files -z --others --directory --exclude-standard
printf '\\0'
wait "$!"
cat "$indexed"
rm -f "$indexed"`;

/** The files below folders that are not in the index; then all folders below them, and nested `.git`. */
const EXPAND = `in=$(mktemp)
cat >"$in"
xargs -0 git ls-files -z --others --exclude-standard -- <"$in"
printf '\\0'
xargs -0 sh -c 'find "$@" \\( ${LEFT_OUT.map((name) => `-name ${name}`).join(' -o ')} \\) -prune -o -name .git -print0 -prune -o -type d -print0 || :' sh <"$in"
rm -f "$in"`;

const SET_ENTRIES = 'git update-index -z --index-info';

const RECORD = `if [ "$1" != 0 ]; then git -c core.bigFileThreshold="$1" update-index --add --remove --replace -z --stdin; fi
folders=$(git hash-object -w --no-filters --stdin <&3)
files=$(git write-tree)
tree=$(printf '040000 tree %s\\tfiles\\n100644 blob %s\\tfolders\\n' "$files" "$folders" | git mktree)
git update-ref "refs/checkpoints/$2" "$tree"
printf '%s\\0' "$tree"
if [ -n "$3" ] && base=$(git rev-parse --quiet --verify "$3:files"); then
  printf '1\\0'
  git diff-tree -r -z --raw --numstat --find-renames --no-ext-diff --no-textconv "$base" "$files"
fi`;

const CHANGES = `git diff-tree -r -z --raw --numstat --find-renames --no-ext-diff --no-textconv "$1:files" "$2:files"`;
const PATCH = `git diff-tree -r -p --no-color --find-renames --no-ext-diff --no-textconv "$1:files" "$2:files"`;

const COMPARE = `if [ -n "$1" ] && git rev-parse --quiet --verify "$1:files" >/dev/null; then
  git diff-tree -r -z --name-only --no-renames "$1:files" "$2:files"
fi
printf '\\0'
git diff-tree -r -z --name-status --no-renames "$2:files" "$3:files"`;

const FOLDERS = 'git cat-file blob "$1:folders"; printf "\\0"; git cat-file blob "$2:folders"';

/** Works on a copy of the index: if it is interrupted, the next scan sees every difference. */
const RESTORE = `umask 022
index=$(mktemp)
cp "$GIT_DIR/index" "$index"
xargs -0 -r rmdir -p -- 2>/dev/null || :
GIT_INDEX_FILE=$index git read-tree --reset -u "$1:files"
rm -f "$index"
xargs -0 -r mkdir -p -- <&3`;

const REMOVE = `sed 's|^|delete refs/checkpoints/|' | git update-ref --stdin
rm -f "$GIT_DIR/gc.pid" "$GIT_DIR/packed-refs.lock"
git gc --quiet --prune=now`;

interface Scan {
  /** Files to read: new ones, and those whose metadata changed. */
  readonly add: readonly string[];
  /** Indexed files to forget: deleted, too large, or no longer files. */
  readonly drop: readonly string[];
  readonly folders: readonly string[];
  readonly tooLarge: readonly string[];
  /** Another scan is necessary after these changes. */
  readonly again: boolean;
}

export class CheckpointStore implements HostedCheckpoints {
  readonly #options: IsolatedGitOptions;
  #ready: Promise<void> | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #last: Last | undefined;

  constructor(options: IsolatedGitOptions) {
    this.#options = options;
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
      const found: string[] = [];
      for (let at = 0; at + 1 < touched.length; at += 2) {
        const [status, path = ''] = touched.slice(at, at + 2);
        const hidden = status === 'A' && (await this.#stat(path)) !== undefined;
        if (changed.has(path) || hidden) found.push(shown(path));
        if (found.length === MAX_CONFLICTS) break;
      }
      return found;
    });
  }

  restore(id: string, target: string, expected: string | null): Promise<boolean> {
    return this.#alone(async () => {
      const { tree } = await this.#save(id, null);
      if (expected !== null && tree !== expected) return false;
      const args = [tree, target];
      const [present = [], wanted = []] = await this.#lists({ script: FOLDERS, args });
      const kept = new Set(wanted);
      // The deepest first.
      const gone = present.filter((folder) => !kept.has(folder)).sort((a, b) => (a < b ? 1 : -1));
      await this.#git({
        script: RESTORE,
        args: [target],
        stdin: joined(gone),
        more: joined(wanted),
        writes: 'files',
        limit: MAX_LIST_BYTES,
      });
      return true;
    });
  }

  remove(ids: readonly string[]): Promise<void> {
    return this.#alone(async () => {
      const stdin = ids.map((id) => `${id}\n`).join('');
      await this.#git({ script: REMOVE, stdin, limit: MAX_LIST_BYTES });
    });
  }

  async #save(id: string, base: string | null): Promise<SavedCheckpoint> {
    let scan = await this.#scan();
    const folders = joined(scan.folders);
    const same = scan.add.length + scan.drop.length === 0 && folders === this.#last?.folders;
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
    if (scan.drop.length > 0) await this.#setEntries(scan.drop.map(removed));
    const threshold = scan.add.length > MANY_FILES ? '1' : '512m';
    const { stdout } = await this.#git({
      script: RECORD,
      args: [scan.add.length === 0 ? '0' : threshold, id, base ?? ''],
      stdin: joined(scan.add),
      more: joined(scan.folders),
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
    this.#last = { ...saved, base, folders: joined(scan.folders) };
    return saved;
  }

  /** What `git update-ref` does for a tree that is stored already, without starting a program. */
  async #refer(id: string, tree: string): Promise<void> {
    const { directories, account } = this.#options;
    const folder = join(directories.checkpoints, 'refs', 'checkpoints');
    const written = join(directories.checkpoints, `new-${id}`);
    await mkdir(folder, { recursive: true });
    await chownTo(folder, account);
    await writeFile(written, `${tree}\n`, { flush: true });
    await chownTo(written, account);
    await rename(written, join(folder, id));
  }

  async #update(scan: Scan): Promise<void> {
    await this.#setEntries(scan.drop.map(removed));
    await this.#git({
      script: 'git update-index --add --remove --replace -z --stdin',
      stdin: joined(scan.add),
      limit: MAX_LIST_BYTES,
    });
  }

  async #scan(): Promise<Scan> {
    const [others = [], indexed = []] = await this.#lists({ script: SCAN });
    const untracked = others.filter((path) => path.endsWith('/'));
    const { files, folders } = await this.#expand(untracked);
    const candidates = [...others.filter((path) => !path.endsWith('/')), ...files].filter(
      isRecordable,
    );
    const fresh = (await this.#measure(candidates)).filter(({ kind }) => kind === 'file');
    const known = await this.#measure(indexed);
    const stays = known.filter((file) => file.kind === 'file' && !isLarge(file));
    const kept = new Set(stays);
    const leaves = known.filter((file) => !kept.has(file));
    const add = [...fresh.filter((file) => !isLarge(file)), ...stays].map(pathOf);
    const full = new Set(add.flatMap(ancestors));
    return {
      add,
      drop: leaves.map(pathOf),
      folders: folders.filter((folder) => !full.has(folder)).slice(0, MAX_FOLDERS),
      tooLarge: [...fresh, ...known].filter(isLarge).map(pathOf),
      again: leaves.length > 0,
    };
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
        return { path, kind: kindOf(found), size: found?.isFile() === true ? found.size : 0 };
      });
      measured.push(...(await Promise.all(batch)));
    }
    return measured;
  }

  async #stat(path: string) {
    const at = Buffer.from(`${this.#options.directories.files}/`);
    return await lstat(Buffer.concat([at, Buffer.from(path, 'latin1')])).catch(() => undefined);
  }

  async #setEntries(entries: readonly string[]): Promise<void> {
    await this.#git({ script: SET_ENTRIES, stdin: joined(entries), limit: MAX_LIST_BYTES });
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

  /** One operation at a time. A damaged index is rebuilt from the files. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    const attempt = async () => {
      this.#ready ??= this.#prepare();
      await this.#ready;
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof GitFailed)) throw error;
        if (/index file/.test(error.message)) {
          await rm(join(this.#options.directories.checkpoints, 'index'), { force: true });
          return await act();
        }
        throw explained(error);
      }
    };
    const done = this.#queue.then(attempt, attempt);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #prepare(): Promise<void> {
    const { directories, account } = this.#options;
    try {
      if (!hasProgram('git')) {
        throw new CheckpointsUnavailable(
          'There are no checkpoints, because git is not installed on the machine of the workspace. Install git there.',
        );
      }
      await writeStoreFiles(directories.checkpoints, account);
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
  readonly folders: string;
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

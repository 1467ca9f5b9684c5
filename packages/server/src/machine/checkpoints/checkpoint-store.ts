import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
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
import { FolderScan, pathOf, type Scan } from './folder-scan.ts';
import { GitFailed, type IsolatedGitOptions } from './isolated-git.ts';
import { isUsual, modeEntry, octal } from './file-modes.ts';
import { Restore, type RestoredStates } from './restore.ts';
import { RestoreJournal, type RestoreRecord } from './restore-journal.ts';
import { writeStoreFiles } from './store-files.ts';
import { joined, MAX_LIST_BYTES, removed, StoreGit } from './store-git.ts';
import { CHANGES, COPY, DELETE, LIST, PATCH, RECORD, UPDATE } from './store-scripts.ts';

/*
 * A bare git object store beside the workspace. The index is kept between checkpoints, so that only files whose metadata
 * changed are read. A record has the files, and what git does not know: empty folders, unusual permissions, and which
 * files were too large. `.git` folders are not recorded. The machine runs one operation on a workspace at a time.
 */

/** Above this, new content is written as one pack instead of one file each. */
const MANY_FILES = 500;
const MAX_CHANGES_BYTES = 1024 * 1024;
const MAX_PATCH_BYTES = 512 * 1024;
const MAX_REPORTED = 100;
/** Deletions can leave an empty folder, which the next scan finds. */
const MAX_ROUNDS = 4;

export class CheckpointStore implements RecoverableCheckpoints {
  readonly #options: IsolatedGitOptions;
  readonly #git: StoreGit;
  readonly #scan: FolderScan;
  readonly #restore: Restore;
  #ready: Promise<void> | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  readonly #journal: RestoreJournal;
  /** Not begun yet, and the last operation in the queue. */
  #openBatch: SaveBatch | undefined;
  #last: Last | undefined;
  /** The last restore. */
  #restored: RestoreRecord | undefined;
  /** There are files with unusual permissions, or were. */
  #hasModes = false;

  constructor(options: IsolatedGitOptions) {
    this.#options = options;
    this.#git = new StoreGit(options);
    this.#scan = new FolderScan(this.#git, options.directories.files);
    this.#restore = new Restore(this.#git, this.#scan);
    this.#journal = new RestoreJournal(options.directories.checkpoints);
  }

  /** Concurrent saves share one scan, which begins after all of them were requested. */
  async save(id: string, base: string | null): Promise<SavedCheckpoint> {
    const batch = this.#openBatch ?? this.#beginBatch();
    const at = batch.requests.push({ id, base }) - 1;
    const saved = (await batch.saved)[at];
    if (saved === undefined) throw new Error('a checkpoint was requested after the scan');
    return saved;
  }

  diff(from: string, to: string): Promise<CheckpointChanges> {
    return this.#alone(async () => {
      const args = [from, to];
      const [changes, patch] = await Promise.all([
        this.#git.run({ script: CHANGES, args, limit: MAX_CHANGES_BYTES }),
        this.#git.run({ script: PATCH, args, limit: MAX_PATCH_BYTES }),
      ]);
      return {
        changes: changes.stdout.toString('utf8'),
        changesCut: changes.cut,
        patch: patch.stdout.toString('utf8'),
        patchCut: patch.cut,
      };
    });
  }

  conflicts(states: RestoredStates): Promise<readonly string[]> {
    return this.#alone(async () => (await this.#restore.conflicts(states)).map(shown));
  }

  restore(id: string, target: string, expected: string): Promise<boolean> {
    return this.#alone(async () => {
      if (this.#restored?.id === id) return true;
      const { tree } = await this.#save(id, null);
      if (tree !== expected) return false;
      // Fails if the content of the target is lost, before anything is changed.
      const plan = await this.#restore.plan(tree, target);
      const record = { id, target, isDone: false };
      await this.#journal.write(record);
      this.#restored = record;
      if (await this.#restore.apply(target, plan, 'checked')) {
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
      await this.#git.run({ script: COPY, args, from, limit: MAX_LIST_BYTES });
      const record = { id, target: tree, isDone: false };
      await this.#journal.write(record);
      this.#restored = record;
      await this.#complete(record);
    });
  }

  prune({ keep, remove, before }: PrunedRecords): Promise<void> {
    return this.#alone(async () => {
      const { stdout } = await this.#git.run({ script: LIST, limit: MAX_LIST_BYTES });
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
      await this.#git.run({ script: DELETE, stdin, limit: MAX_LIST_BYTES });
    });
  }

  async #done(record: RestoreRecord): Promise<void> {
    this.#restored = { ...record, isDone: true };
    await this.#journal.write(this.#restored);
  }

  /** The files may be half restored. Whatever they are, they become those of the target. */
  async #complete(record: RestoreRecord): Promise<void> {
    const { tree } = await this.#save(record.id, null);
    await this.#restore.apply(
      record.target,
      await this.#restore.plan(tree, record.target),
      'forced',
    );
    await this.#done(record);
  }

  #beginBatch(): SaveBatch {
    const requests: SaveRequest[] = [];
    const close = () => {
      if (this.#openBatch === batch) this.#openBatch = undefined;
    };
    void this.#queue.then(close);
    const saved = this.#alone(async () => {
      const checkpoints: SavedCheckpoint[] = [];
      for (const { id, base } of requests) {
        const same = checkpoints.length === 0 ? undefined : await this.#saveAgain(id, base);
        checkpoints.push(same ?? (await this.#save(id, base)));
      }
      return checkpoints;
    });
    const batch = { requests, saved };
    this.#openBatch = batch;
    return batch;
  }

  /** The state of the last scan as another checkpoint. Undefined: its changes since `base` are unknown. */
  async #saveAgain(id: string, base: string | null): Promise<SavedCheckpoint | undefined> {
    const known = changesSince(this.#last, base);
    if (this.#last === undefined || known === undefined) return undefined;
    const { tree, tooLarge } = this.#last;
    await this.#refer(id, tree);
    return { tree, tooLarge, changes: known.changes };
  }

  async #save(id: string, base: string | null): Promise<SavedCheckpoint> {
    let scan = await this.#scan.scan();
    const same = scan.add.length + scan.drop.length === 0 && listsOf(scan) === this.#last?.lists;
    const unchanged = same ? await this.#saveAgain(id, base) : undefined;
    if (unchanged !== undefined) return unchanged;
    this.#last = undefined;
    for (let round = 1; scan.again && round < MAX_ROUNDS; round++) {
      await this.#update(scan);
      scan = await this.#scan.scan();
    }
    if (scan.drop.length > 0) await this.#drop(scan.drop);
    const { args, stdin, modes } = this.#updateOf(scan);
    const lists = { folders: joined(scan.folders), large: joined(scan.tooLarge) };
    const { stdout } = await this.#git.run({
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
    await this.#git.run({ script: UPDATE, args, stdin, more: ['', modes], limit: MAX_LIST_BYTES });
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
    if (this.#hasModes) await this.#git.setEntries(entries, 'modes');
    await this.#git.setEntries(entries);
  }

  /** One operation at a time, and none on files that are half restored. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    this.#openBatch = undefined;
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

/** File names can be any bytes: in the store, each character is one byte. */
const shown = (path: string) => Buffer.from(path, 'latin1').toString('utf8');

/** The last record of this process. */
interface Last extends SavedCheckpoint {
  readonly lists: string;
  readonly base: string | null;
}

interface SaveRequest {
  readonly id: string;
  readonly base: string | null;
}

/** Checkpoints of the same state. */
interface SaveBatch {
  readonly requests: SaveRequest[];
  /** In the order of the requests. */
  readonly saved: Promise<readonly SavedCheckpoint[]>;
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

const listsOf = ({ folders, tooLarge }: Scan) => `${joined(folders)}\0${joined(tooLarge)}`;
const flag = (list: string) => (list === '' ? '' : 'some');
/** The time in a UUID of version 7, in milliseconds since the epoch. */
const createdAt = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

const reported = ({ tooLarge }: Scan) => tooLarge.slice(0, MAX_REPORTED).map(shown);

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

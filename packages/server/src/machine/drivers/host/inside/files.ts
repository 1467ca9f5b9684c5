import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

export class FileError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

type Kind = 'file' | 'directory' | 'link' | 'other';

interface Entry {
  path: string;
  kind: Kind;
  size: number;
  modified: number;
}

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_ENTRIES = 50_000;

/** File operations below one folder. None of them blocks: pipes and devices are detected without reading. */
export class Files {
  readonly #root: string;

  constructor(root: string) {
    this.#root = realpathSync(root);
  }

  read(path: string, from: number, length: number): { bytes: Buffer; size: number } {
    const file = this.#open(path);
    try {
      const stat = fstatSync(file);
      this.#requireInside(path, this.#nameOf(file, path));
      this.#requireFile(path, stat);
      const wanted = Math.max(0, Math.min(length, MAX_BYTES, stat.size - from));
      // Some files, for example in /proc, have content but no size.
      const bytes = Buffer.allocUnsafe(wanted);
      let have = 0;
      while (have < wanted) {
        const count = readSync(file, bytes, have, wanted - have, from + have);
        if (count === 0) break;
        have += count;
      }
      return { bytes: bytes.subarray(0, have), size: stat.size };
    } catch (error) {
      throw asFileError(path, error);
    } finally {
      closeSync(file);
    }
  }

  /** Writes a temporary file and renames it: readers never see a partial file, and a full disk keeps the old one. */
  write(path: string, bytes: Buffer, expected?: string | null): boolean {
    try {
      const target = this.#target(path);
      const before = statOf(target);
      if (before !== undefined) this.#requireFile(path, before);
      if (expected !== undefined) requireUnchanged(path, target, before, bytes, expected);
      const draft = join(dirname(target), `.${basename(target)}.${randomUUID()}.draft`);
      try {
        writeFileSync(draft, bytes, { flag: 'wx' });
        if (before !== undefined) chmodSync(draft, before.mode & 0o7777);
        renameSync(draft, target);
      } catch (error) {
        rmSync(draft, { force: true });
        throw error;
      }
      return before === undefined;
    } catch (error) {
      throw asFileError(path, error);
    }
  }

  stat(path: string): Entry | undefined {
    try {
      // For the root itself, its parent is not checked.
      const folder = this.#real(path === this.#root ? path : dirname(path));
      if (folder === undefined) return undefined;
      const stat = statOf(path === this.#root ? folder : join(folder, basename(path)));
      return stat && entryOf(path, stat);
    } catch (error) {
      throw asFileError(path, error);
    }
  }

  list(path: string, depth: number, limit: number, skip: readonly string[]) {
    const top = this.#real(path);
    if (top === undefined) throw new FileError('not_found', `The folder ${path} does not exist.`);
    if (!lstatSync(top).isDirectory()) {
      throw new FileError('not_a_directory', `${path} is a file, not a folder.`);
    }
    const entries: Entry[] = [];
    const skipped = new Set(skip);
    const most = Math.min(limit, MAX_ENTRIES);
    const visit = (folder: string, levels: number): boolean => {
      for (const name of namesIn(folder)) {
        if (entries.length >= most) return false;
        const full = join(folder, name);
        const stat = statOf(full);
        if (stat === undefined) continue;
        entries.push(entryOf(relative(top, full), stat));
        const goOn = !stat.isDirectory() || levels <= 1 || skipped.has(name);
        if (!goOn && !visit(full, levels - 1)) return false;
      }
      return true;
    };
    return { entries, more: !visit(top, depth) };
  }

  #open(path: string): number {
    try {
      return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      throw asFileError(path, error);
    }
  }

  /** The path of the opened file, even if the original path has changed since. */
  #nameOf(file: number, path: string): string {
    try {
      return realpathSync(`/proc/self/fd/${file}`);
    } catch {
      return realpathSync(path);
    }
  }

  /** Resolves the target of a write. Creates missing folders, and follows links that stay inside the root. */
  #target(path: string): string {
    const folder = dirname(path);
    let existing = folder;
    while (this.#real(existing) === undefined) existing = dirname(existing);
    mkdirSync(folder, { recursive: true });
    const target = join(this.#requireInside(path, realpathSync(folder)), basename(path));
    if (statOf(target)?.isSymbolicLink() !== true) return target;
    return this.#requireInside(path, realpathSync(target));
  }

  /** Undefined: the path does not exist. */
  #real(path: string): string | undefined {
    try {
      return this.#requireInside(path, realpathSync(path));
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined;
      throw asFileError(path, error);
    }
  }

  #requireInside(path: string, real: string): string {
    if (real === this.#root || real.startsWith(this.#root + sep)) return real;
    throw new FileError('outside', `${path} is outside the workspace.`);
  }

  #requireFile(path: string, stat: Stats): void {
    if (stat.isFile()) return;
    throw new FileError(
      'not_a_file',
      stat.isDirectory() ? `${path} is a folder.` : `${path} is not a regular file.`,
    );
  }
}

function requireUnchanged(
  path: string,
  target: string,
  before: Stats | undefined,
  bytes: Buffer,
  expected: string | null,
): void {
  if (before === undefined ? expected === null : before.size <= MAX_BYTES) {
    const current = before === undefined ? null : sha256(readFileSync(target));
    // A repeated request may find its own content.
    if (current === expected || current === sha256(bytes)) return;
  }
  throw new FileError('changed', `${path} has changed.`);
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

const entryOf = (path: string, stat: Stats): Entry => ({
  path,
  kind: kindOf(stat),
  size: stat.size,
  modified: Math.floor(stat.mtimeMs),
});

function kindOf(stat: Stats): Kind {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'link' : 'other';
}

const isCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code;

function asFileError(path: string, error: unknown): FileError {
  if (error instanceof FileError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return new FileError('not_found', `The file ${path} does not exist.`);
    case 'ENOTDIR':
    case 'EEXIST':
      return new FileError('not_a_directory', `Part of the path ${path} is a file, not a folder.`);
    case 'EISDIR':
      return new FileError('not_a_file', `${path} is a folder.`);
    case 'ENXIO':
      return new FileError('not_a_file', `${path} is not a regular file.`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new FileError('denied', `Permission denied: ${path} (${code}).`);
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new FileError(
        'no_space',
        `The disk is full. ${path} was not changed. Delete files to make room.`,
      );
    case 'ELOOP':
      return new FileError('outside', `${path} contains a symbolic link loop.`);
    case 'ENAMETOOLONG':
      return new FileError('failed', `The path is too long: ${path.slice(0, 200)}…`);
    default:
      return new FileError('failed', error instanceof Error ? error.message : String(error));
  }
}

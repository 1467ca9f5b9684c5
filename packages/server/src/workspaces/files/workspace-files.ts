import { createHash } from 'node:crypto';
import { Refused } from '../../chat/refused.ts';
import { insideRoot, shownPath } from './path.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import {
  type FileEntry,
  SandboxClosed,
  SandboxFileError,
  type SandboxFiles,
} from '../../machine/drivers/driver.ts';
import type { Workspaces } from '../workspaces.ts';
import { listPaths } from './list-paths.ts';
import { rankPaths } from './rank-paths.ts';
import { zip } from './zip.ts';

const MAX_ENTRIES = 5000;
const MAX_BYTES = 10 * 1024 * 1024;
/** The list is reused while the user types. */
const FRESH_MS = 5000;
const MAX_CACHED = 20;
const CHUNK_BYTES = 1024 * 1024;
const ARCHIVE_ENTRIES = 50_000;
const ARCHIVE_BYTES = 2 * 1024 ** 3;
const ARCHIVE_DEPTH = 100;

export interface Folder {
  readonly path: string;
  readonly entries: readonly FileEntry[];
  readonly more: boolean;
}

export interface FileContent {
  readonly path: string;
  readonly bytes: Buffer;
  /** Size of the whole file. `bytes` is its beginning. */
  readonly size: number;
  /** SHA-256 in hex. Undefined: `bytes` is not the whole file. */
  readonly version: string | undefined;
}

export interface WrittenFile {
  readonly path: string;
  readonly version: string;
}

/** A file, or a folder as an archive. */
export interface Download {
  readonly name: string;
  readonly isArchive: boolean;
  readonly chunks: AsyncIterable<Uint8Array>;
}

interface Kept {
  readonly revision: number;
  readonly at: number;
  readonly paths: Promise<readonly string[]>;
}

/** Access to the files of workspaces for the API. Throws `SandboxFileError`. */
export class WorkspaceFiles {
  readonly #workspaces: Workspaces;
  readonly #kept = new Map<string, Kept>();

  constructor(workspaces: Workspaces) {
    this.#workspaces = workspaces;
  }

  async list(row: WorkspaceRow, path: string): Promise<Folder> {
    return await this.#workspaces.visit(row, async ({ root, files }) => {
      const folder = insideRoot(root, path);
      const listing = await files.list(folder, { depth: 1, limit: MAX_ENTRIES, skip: [] });
      return { path: shownPath(root, folder), ...listing };
    });
  }

  async read(row: WorkspaceRow, path: string): Promise<FileContent> {
    return await this.#workspaces.visit(row, async ({ root, files }) => {
      const file = insideRoot(root, path);
      const { bytes, size } = await files.read(file, 0, MAX_BYTES);
      const version = bytes.length === size ? versionOf(bytes) : undefined;
      return { path: shownPath(root, file), bytes: Buffer.from(bytes), size, version };
    });
  }

  /** With `expected`, the version, or null for no file, does not overwrite another version. */
  async write(
    row: WorkspaceRow,
    path: string,
    bytes: Buffer,
    expected: string | null | undefined,
  ): Promise<WrittenFile> {
    return await this.#workspaces.visit(row, async ({ root, files }) => {
      const file = insideRoot(root, path);
      await files.write(file, bytes, expected);
      this.#kept.delete(row.id);
      return { path: shownPath(root, file), version: versionOf(bytes) };
    });
  }

  async download(row: WorkspaceRow, path: string): Promise<Download> {
    return await this.#workspaces.visit(row, async ({ root, files }) => {
      const target = insideRoot(root, path);
      const shown = shownPath(root, target);
      const read = this.#reader(row, files);
      const name = shown === '.' ? row.name : shown.slice(shown.lastIndexOf('/') + 1);
      if ((await files.stat(target))?.kind !== 'directory') {
        // Fails now, not in the middle of the response.
        await files.read(target, 0, 0);
        return { name, isArchive: false, chunks: contentOf(read, target) };
      }
      const listing = { depth: ARCHIVE_DEPTH, limit: ARCHIVE_ENTRIES, skip: [] };
      const { entries, more } = await files.list(target, listing);
      const size = entries.reduce((sum, entry) => sum + entry.size, 0);
      if (more || size > ARCHIVE_BYTES) throw tooLarge();
      const members = entries
        .filter(({ kind }) => kind === 'file' || kind === 'directory')
        .map((entry) => ({
          name: `${entry.path}${entry.kind === 'directory' ? '/' : ''}`,
          modified: entry.modified,
          content: () => contentIfReadable(read, `${target}/${entry.path}`),
        }));
      return { name: `${name}.zip`, isArchive: true, chunks: zip(members) };
    });
  }

  /** Opens the workspace again if it was closed: a download can take longer than a stopped workspace stays open. */
  #reader(row: WorkspaceRow, first: SandboxFiles): SandboxFiles['read'] {
    let files = first;
    return async (...part) => {
      try {
        return await files.read(...part);
      } catch (error) {
        if (!(error instanceof SandboxClosed)) throw error;
        files = await this.#workspaces.visit(row, async (workspace) => workspace.files);
        return await files.read(...part);
      }
    };
  }

  /** Fuzzy search in the paths of files, best match first. */
  async search(row: WorkspaceRow, query: string, limit: number): Promise<string[]> {
    return await rankPaths(await this.#paths(row), query, limit);
  }

  async #paths(row: WorkspaceRow): Promise<readonly string[]> {
    return await this.#workspaces.visit(row, async (workspace) => {
      const now = this.#workspaces.clock.now();
      const revision = await workspace.revision();
      const kept = this.#kept.get(row.id);
      if (kept?.revision === revision && now - kept.at < FRESH_MS) return await kept.paths;
      const paths = listPaths(workspace);
      this.#keep(row.id, { revision, at: now, paths });
      return await paths;
    });
  }

  #keep(id: string, kept: Kept): void {
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    kept.paths.catch(() => this.#kept.delete(id));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_CACHED && oldest !== undefined) this.#kept.delete(oldest);
  }
}

const versionOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function* contentOf(
  read: SandboxFiles['read'],
  path: string,
  first?: Uint8Array,
): AsyncGenerator<Uint8Array> {
  let bytes = first ?? (await read(path, 0, CHUNK_BYTES)).bytes;
  for (let at = 0; bytes.length > 0;) {
    yield bytes;
    at += bytes.length;
    ({ bytes } = await read(path, at, CHUNK_BYTES));
  }
}

/** Undefined: the file was deleted since it was listed, or cannot be read. */
async function contentIfReadable(
  read: SandboxFiles['read'],
  path: string,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  try {
    const { bytes } = await read(path, 0, CHUNK_BYTES);
    return contentOf(read, path, bytes);
  } catch (error) {
    if (error instanceof SandboxFileError) return undefined;
    throw error;
  }
}

const tooLarge = () =>
  new Refused(
    'folder_too_large',
    'The folder has more than 50,000 entries or 2 GiB. Download a part of it, or create an archive in the terminal.',
  );

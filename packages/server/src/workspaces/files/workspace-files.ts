import { insideRoot, shownPath } from './path.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import type { FileEntry } from '../../machine/drivers/driver.ts';
import type { Workspaces } from '../workspaces.ts';
import { listPaths } from './list-paths.ts';
import { rankPaths } from './rank-paths.ts';

const MAX_ENTRIES = 5000;
const MAX_BYTES = 10 * 1024 * 1024;
/** The list is reused while the user types. */
const FRESH_MS = 5000;
const MAX_CACHED = 20;

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
}

interface Kept {
  readonly revision: number;
  readonly at: number;
  readonly paths: Promise<readonly string[]>;
}

/** Read access to the files of workspaces for the API. Throws `SandboxFileError`. */
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
      return { path: shownPath(root, file), bytes: Buffer.from(bytes), size };
    });
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

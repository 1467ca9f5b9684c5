import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

const MAX_FILES = 500;

/** The folder open in the editor. Paths outside it, through `..` or a symbolic link, are refused. */
export class Folder {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async open(path: string): Promise<Folder> {
    return new Folder(await realpath(path));
  }

  async list(): Promise<string[]> {
    const entries = await readdir(this.root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.root, join(entry.parentPath, entry.name)))
      .filter((path) => !path.split(sep).some((name) => name === '.git' || name === 'node_modules'))
      .slice(0, MAX_FILES);
  }

  async read(path: string): Promise<string> {
    return await readFile(await this.#inside(path), 'utf8');
  }

  /** Undefined if the file does not exist. */
  async readIfExists(path: string): Promise<string | undefined> {
    return await this.read(path).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });
  }

  async write(path: string, text: string): Promise<void> {
    const target = await this.#inside(path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }

  /** Resolves symbolic links in the longest existing prefix of the path before the check. */
  async #inside(path: string): Promise<string> {
    const wanted = resolve(this.root, path);
    let existing = wanted;
    let real: string | undefined;
    while (real === undefined) {
      real = await realpath(existing).catch(() => undefined);
      if (real === undefined) existing = dirname(existing);
    }
    const target = join(real, relative(existing, wanted));
    if (target.startsWith(this.root + sep)) return target;
    throw new Error(`${path} is outside the open folder.`);
  }
}

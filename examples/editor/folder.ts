import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

const MOST = 500;

/** The folder that is open in the editor. Nothing outside of it is read or written, by `..` or by a link. */
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
      .slice(0, MOST);
  }

  async read(path: string): Promise<string> {
    return await readFile(await this.#inside(path), 'utf8');
  }

  /** Undefined: there is no such file yet. */
  async readIfThere(path: string): Promise<string | undefined> {
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

  /** Where a path leads, links on the way included: the nearest part of it that exists decides. */
  async #inside(path: string): Promise<string> {
    const wanted = resolve(this.root, path);
    let there = wanted;
    let real: string | undefined;
    while (real === undefined) {
      real = await realpath(there).catch(() => undefined);
      if (real === undefined) there = dirname(there);
    }
    const target = join(real, relative(there, wanted));
    if (target.startsWith(this.root + sep)) return target;
    throw new Error(`${path} is outside of the folder that is open.`);
  }
}

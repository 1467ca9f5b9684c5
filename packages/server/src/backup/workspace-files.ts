import { constants } from 'node:fs';
import {
  chmod,
  lchown,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  symlink,
  utimes,
} from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { ParsedTarEntry, TarHeader } from 'modern-tar';
import type { ArchiveWriter } from './archive-writer.ts';
import { BackupError } from './backup-error.ts';

const CHUNK = 1024 * 1024;
/** What the server makes again, and what is temporary. */
const LEFT_OUT = /^(?:\.tools(?:\/|$)|[^/]+\/tmp\/)/;

/** Writes the folder of the workspaces into an archive, as it is at the moment. Answers how many files that are. */
export async function packWorkspaces(directory: string, archive: ArchiveWriter): Promise<number> {
  let count = 0;
  for await (const path of walk(directory)) {
    const name = relative(directory, path).split(sep).join('/');
    if (LEFT_OUT.test(name)) continue;
    if (await packOne(path, `workspaces/${name}`, archive)) count += 1;
  }
  return count;
}

async function* walk(directory: string): AsyncGenerator<string> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(directory, entry.name);
    yield path;
    if (entry.isDirectory()) yield* walk(path);
  }
}

/** False: it is gone, or nothing that could be kept (a socket, a pipe). */
async function packOne(path: string, name: string, archive: ArchiveWriter): Promise<boolean> {
  const about = await lstat(path).catch(() => undefined);
  if (about === undefined) return false;
  const { mode, uid, gid, mtime } = about;
  const header = { name, size: 0, mode: mode & 0o7777, uid, gid, mtime } satisfies TarHeader;
  const empty = new Uint8Array();
  if (about.isSymbolicLink()) {
    await archive.add({ ...header, type: 'symlink', linkname: await readlink(path) }, empty);
  } else if (about.isDirectory()) {
    await archive.add({ ...header, name: `${name}/`, type: 'directory' }, empty);
  } else if (about.isFile()) {
    await archive.add({ ...header, size: about.size, type: 'file' }, contentOf(path, about.size));
  } else {
    return false;
  }
  return true;
}

/** Exactly as many bytes as were announced, though the file may change while it is read. */
async function* contentOf(path: string, size: number): AsyncGenerator<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  let left = size;
  try {
    while (left > 0) {
      const chunk = Buffer.alloc(Math.min(CHUNK, left));
      const { bytesRead = 0 } = (await handle?.read(chunk, 0, chunk.length)) ?? {};
      yield bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead);
      left -= bytesRead === 0 ? chunk.length : bytesRead;
    }
  } finally {
    await handle?.close();
  }
}

/** Puts one entry back below the folder of the workspaces; whatever it is called, it lands nowhere else. */
export async function unpackOne(entry: ParsedTarEntry, directory: string): Promise<void> {
  const { header, body } = entry;
  const names = header.name.replace(/\/$/, '').split('/').slice(1);
  if (names.length === 0 || names.some((name) => name === '' || name === '.' || name === '..')) {
    throw new BackupError(
      `The backup has a file with an impossible name: ${header.name}`,
      'Do not trust it.',
    );
  }
  const path = join(directory, ...names);
  await refuseLinks(directory, names.slice(0, -1));
  await mkdir(dirname(path), { recursive: true });
  if (header.type === 'symlink') {
    await symlink(header.linkname ?? '', path);
  } else if (header.type === 'directory') {
    await mkdir(path, { recursive: true });
    await chmod(path, header.mode ?? 0o755);
  } else {
    const handle = await open(path, 'wx', header.mode ?? 0o600);
    try {
      for await (const chunk of body) await handle.writeFile(chunk);
      await handle.chmod(header.mode ?? 0o600);
    } finally {
      await handle.close();
    }
    if (header.mtime !== undefined) await utimes(path, header.mtime, header.mtime);
  }
  if (process.geteuid?.() === 0) await lchown(path, header.uid ?? 0, header.gid ?? 0);
}

/** A link that came before could lead the next file elsewhere. */
async function refuseLinks(directory: string, names: readonly string[]): Promise<void> {
  let path = directory;
  for (const name of names) {
    path = join(path, name);
    const about = await lstat(path).catch(() => undefined);
    if (about?.isSymbolicLink() === true) {
      throw new BackupError('The backup has a file behind a link.', 'Do not trust it.');
    }
  }
}

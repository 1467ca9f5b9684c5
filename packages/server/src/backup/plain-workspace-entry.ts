import { chmod, lchown, lstat, mkdir, open, stat, symlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ParsedTarEntry } from 'modern-tar';
import { BackupError } from './backup-error.ts';

/** Restores a file of a workspace from a backup of an earlier version, which has an entry for each. */
export async function unpackPlainEntry(entry: ParsedTarEntry, directory: string): Promise<void> {
  const { header } = entry;
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
  await withWritableFolder(dirname(path), () => write(entry, path));
  if (process.geteuid?.() === 0) await lchown(path, header.uid ?? 0, header.gid ?? 0);
}

async function write({ header, body }: ParsedTarEntry, path: string): Promise<void> {
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
}

/** A folder comes before its files, and its mode may not let its owner write. */
async function withWritableFolder(folder: string, act: () => Promise<void>): Promise<void> {
  const { mode } = await stat(folder);
  const isWritable = (mode & 0o300) === 0o300;
  if (!isWritable) await chmod(folder, mode | 0o700);
  try {
    await act();
  } finally {
    if (!isWritable) await chmod(folder, mode);
  }
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

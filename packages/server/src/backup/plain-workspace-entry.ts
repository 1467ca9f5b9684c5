import { chmod, lchown, lstat, mkdir, open, stat, symlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ParsedTarEntry } from 'modern-tar';
import { BackupError } from './backup-error.ts';

/** Restores a workspace file from a backup of an earlier version, which has an entry per file. */
export async function unpackPlainEntry(entry: ParsedTarEntry, directory: string): Promise<void> {
  const { header } = entry;
  const names = header.name.replace(/\/$/, '').split('/').slice(1);
  if (names.length === 0 || names.some((name) => name === '' || name === '.' || name === '..')) {
    throw new BackupError(
      `The backup contains an invalid file name: ${header.name}`,
      'Do not use this backup.',
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

/** A folder precedes its files, and its mode may not allow its owner to write. */
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

/** An earlier symbolic link could redirect the next file. */
async function refuseLinks(directory: string, names: readonly string[]): Promise<void> {
  let path = directory;
  for (const name of names) {
    path = join(path, name);
    const about = await lstat(path).catch(() => undefined);
    if (about?.isSymbolicLink() === true) {
      throw new BackupError(
        'The backup contains a file below a symbolic link.',
        'Do not use this backup.',
      );
    }
  }
}

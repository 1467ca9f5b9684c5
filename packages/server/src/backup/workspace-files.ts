import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ParsedTarEntry } from 'modern-tar';
import { z } from 'zod';
import { directoriesOf } from '../machine/drivers/host/directories.ts';
import {
  archiveFolder,
  extractFolder,
  type FolderExtraction,
} from '../machine/drivers/host/folder-archive.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { BackupError } from './backup-error.ts';
import { unpackPlainEntry } from './plain-workspace-entry.ts';

const FOLDER = 'workspaces';
const HOST_ID = 'host-id';
const CHUNK_BYTES = 4 * 1024 * 1024;
/** Limits the size of one workspace, so that it cannot block the backup. Holes of sparse files do not count. */
const MAX_WORKSPACE_BYTES = 64 * 1024 ** 3;

/** Follows the archive of a workspace, so that damage is detected. */
export const WorkspaceEnd = z.object({
  bytes: z.int().nonnegative(),
  sha256: z.string(),
  /** Why the workspace is not in the backup. Undefined: it is included. */
  left_out: z.string().optional(),
});
export type WorkspaceEnd = z.infer<typeof WorkspaceEnd>;

interface PackOptions {
  readonly onProblem?: (line: string) => void;
  readonly maxWorkspaceBytes?: number;
}

/** Adds the files of workspaces to an archive. Returns the number of files and folders. */
export async function packWorkspaces(
  directory: string,
  archive: ArchiveWriter,
  { onProblem = () => undefined, maxWorkspaceBytes = MAX_WORKSPACE_BYTES }: PackOptions = {},
): Promise<number> {
  let count = 0;
  const id = await readFile(join(directory, HOST_ID)).catch(() => undefined);
  if (id !== undefined) {
    await archive.add({ name: `${FOLDER}/${HOST_ID}`, size: id.length, mode: 0o600 }, id);
    count += 1;
  }
  for (const name of await workspacesIn(directory)) {
    const { entries, left_out } = await packWorkspace(directory, name, archive, maxWorkspaceBytes);
    count += entries;
    if (left_out !== undefined)
      onProblem(`The workspace ${name} is not in the backup: ${left_out}`);
  }
  return count;
}

/** Only the server writes this folder, so its content can be trusted. */
async function workspacesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
}

async function packWorkspace(
  directory: string,
  name: string,
  archive: ArchiveWriter,
  maxBytes: number,
): Promise<{ entries: number; left_out: string | undefined }> {
  const tar = await archiveFolder(directoriesOf(directory, name));
  const hash = createHash('sha256');
  let bytes = 0;
  let part = 0;
  let tooLarge = false;
  for await (const chunk of chunksOf(tar.bytes)) {
    bytes += chunk.length;
    tooLarge ||= bytes > maxBytes;
    if (tooLarge) {
      tar.cancel();
      break;
    }
    hash.update(chunk);
    part += 1;
    const header = { name: partName(name, String(part).padStart(6, '0')), mode: 0o600 };
    await archive.add({ ...header, size: chunk.length }, chunk);
  }
  const { error, entries } = await tar.result;
  const left_out = tooLarge ? `it exceeds ${Math.floor(maxBytes / 1024 ** 2)} MB` : error;
  const end = {
    bytes,
    sha256: hash.digest('hex'),
    ...(left_out && { left_out }),
  } satisfies WorkspaceEnd;
  await archive.json(partName(name, 'end.json'), end);
  return { entries: left_out === undefined ? entries : 0, left_out };
}

/** The name of a part. Groups: workspace, part. */
export const WORKSPACE_PART = /^workspaces\/([\w-]+)\.tar\/([\w.]+)$/;
const partName = (workspace: string, part: string) => `${FOLDER}/${workspace}.tar/${part}`;

async function* chunksOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    held.push(chunk);
    size += chunk.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held);
}

interface Extraction extends FolderExtraction {
  readonly hash: Hash;
  bytes: number;
}

/** Workspaces whose end has not been read yet, by folder. */
const extractions = new Map<string, Extraction>();

/** Restores an entry below the workspaces folder. Never writes anywhere else. */
export async function unpackOne(entry: ParsedTarEntry, directory: string): Promise<void> {
  const [, workspace, part] = WORKSPACE_PART.exec(entry.header.name) ?? [];
  if (entry.header.name === `${FOLDER}/${HOST_ID}`) {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, HOST_ID), await bytesOf(entry), { flag: 'wx' });
  } else if (workspace === undefined || part === undefined) {
    await unpackPlainEntry(entry, directory);
  } else if (part === 'end.json') {
    await finishWorkspace(
      WorkspaceEnd.parse(JSON.parse(String(await bytesOf(entry)))),
      directory,
      workspace,
    );
  } else {
    await writeToTar(await extractionOf(directory, workspace), await bytesOf(entry));
  }
}

async function bytesOf({ body }: ParsedTarEntry): Promise<Buffer> {
  return Buffer.from(await new Response(body).arrayBuffer());
}

async function extractionOf(directory: string, workspace: string): Promise<Extraction> {
  const directories = directoriesOf(directory, workspace);
  const known = extractions.get(directories.base);
  if (known !== undefined) return known;
  if ((await lstat(directories.base).catch(() => undefined)) !== undefined) {
    throw new BackupError(
      `The backup contains the workspace ${workspace} twice.`,
      'Do not use this backup.',
    );
  }
  const extraction = await extractFolder(directories);
  const begun = { ...extraction, hash: createHash('sha256'), bytes: 0 };
  extractions.set(directories.base, begun);
  return begun;
}

async function writeToTar(extraction: Extraction, chunk: Buffer): Promise<void> {
  extraction.hash.update(chunk);
  extraction.bytes += chunk.length;
  if (extraction.target.destroyed || extraction.target.write(chunk)) return;
  // If tar exits early, its result gives the reason.
  await Promise.race([once(extraction.target, 'drain'), extraction.result]);
}

async function finishWorkspace(
  end: WorkspaceEnd,
  directory: string,
  workspace: string,
): Promise<void> {
  const extraction = await extractionOf(directory, workspace);
  const { base } = directoriesOf(directory, workspace);
  extractions.delete(base);
  extraction.target.end();
  const { error } = await extraction.result;
  if (end.left_out !== undefined) {
    await rm(base, { recursive: true, force: true });
    return;
  }
  const isWhole = extraction.bytes === end.bytes && extraction.hash.digest('hex') === end.sha256;
  if (isWhole && error === undefined) return;
  throw new BackupError(
    `Restoring the files of the workspace ${workspace} failed: ${error ?? 'wrong checksum'}.`,
    'Copy the file again, or use another backup.',
  );
}

import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { explainDamage, readArchive, readText } from './archive-reader.ts';
import { BackupError } from './backup-error.ts';
import { parseManifest } from './manifest.ts';
import { WORKSPACE_PART, WorkspaceEnd } from './workspace-files.ts';

interface WorkspaceSum {
  readonly hash: Hash;
  bytes: number;
}

/** Reads a backup to its end. Throws if an entry is unreadable, the end is missing, or a checksum is wrong. */
export async function verifyBackup(source: Readable): Promise<void> {
  try {
    await verify(source);
  } catch (error) {
    throw explainDamage(error);
  }
}

async function verify(source: Readable): Promise<void> {
  const open = new Map<string, WorkspaceSum>();
  let last = '';
  for await (const entry of readArchive(source)) {
    const { name } = entry.header;
    if (last === '') parseManifest(await readText(entry));
    const [, workspace, part] = WORKSPACE_PART.exec(name) ?? [];
    if (workspace !== undefined && part === 'end.json') {
      const end = WorkspaceEnd.parse(JSON.parse(await readText(entry)));
      const sum = open.get(workspace) ?? { hash: createHash('sha256'), bytes: 0 };
      open.delete(workspace);
      if (end.left_out === undefined) checkSum(workspace, sum, end);
    } else if (workspace !== undefined) {
      const sum = open.get(workspace) ?? { hash: createHash('sha256'), bytes: 0 };
      open.set(workspace, sum);
      for await (const chunk of entry.body) {
        sum.hash.update(chunk);
        sum.bytes += chunk.length;
      }
    } else if (last !== '') {
      await entry.body.pipeTo(new WritableStream());
    }
    last = name;
  }
  if (last !== 'end.json' || open.size > 0) throw damaged('its end is missing');
}

function checkSum(workspace: string, sum: WorkspaceSum, end: WorkspaceEnd): void {
  if (sum.bytes === end.bytes && sum.hash.digest('hex') === end.sha256) return;
  throw damaged(`the checksum of the workspace ${workspace} is wrong`);
}

const damaged = (why: string) =>
  new BackupError(`The backup is damaged: ${why}.`, 'Check the disk, and make another backup.');

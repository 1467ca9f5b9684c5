import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const ANNOUNCEMENT = z.object({ pid: z.int(), url: z.string(), started_at: z.string() });

/** The address of the running server, for error messages. The actual lock is in the database. */
export type ServerAnnouncement = Readonly<z.infer<typeof ANNOUNCEMENT>>;

export async function writeAnnouncement(
  dataDir: string,
  server: ServerAnnouncement,
): Promise<void> {
  const path = pathIn(dataDir);
  const unfinished = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  await writeFile(unfinished, `${JSON.stringify(server, null, 2)}\n`, { mode: 0o644 });
  await rename(unfinished, path);
}

export async function readAnnouncement(dataDir: string): Promise<ServerAnnouncement | undefined> {
  try {
    return ANNOUNCEMENT.parse(JSON.parse(await readFile(pathIn(dataDir), 'utf8')));
  } catch {
    return undefined;
  }
}

export async function removeAnnouncement(dataDir: string): Promise<void> {
  await rm(pathIn(dataDir), { force: true });
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'server.json');
}

import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = 'host-id';

/** The id of the machine that owns this folder of workspaces. Processes that start together agree on one id. */
export async function machineIdIn(directory: string): Promise<string> {
  const path = join(directory, NAME);
  const known = await read(path);
  if (known !== undefined) return known;
  await mkdir(directory, { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${randomUUID()}\n`);
  // Linking fails if another process was faster.
  await link(draft, path).catch(() => undefined);
  await rm(draft, { force: true });
  const made = await read(path);
  if (made === undefined) throw new Error(`Reading ${path} failed`);
  return made;
}

async function read(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    return /^[0-9a-f-]{36}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentAccount } from './agent-account.ts';

/** Where the host driver keeps a workspace: its files, and a home and a place for temporary files beside them. */
export interface Directories {
  readonly base: string;
  readonly files: string;
  readonly home: string;
  readonly tmp: string;
}

export function directoriesOf(parent: string, id: string): Directories {
  const base = join(parent, id);
  return { base, files: join(base, 'files'), home: join(base, 'home'), tmp: join(base, 'tmp') };
}

/** Makes the empty folders of a workspace for the account that its programs run as. */
export async function makeDirectories(
  { base, files, home, tmp }: Directories,
  account: AgentAccount | undefined,
): Promise<void> {
  await mkdir(base, { recursive: true });
  // Others of the machine have no business in it, and the agents' account must get through.
  await chmod(base, account === undefined ? 0o700 : 0o711);
  for (const path of [files, home, tmp]) {
    await mkdir(path, { mode: 0o700 });
    await giveTo(path, account);
  }
}

export async function giveTo(path: string, account: AgentAccount | undefined): Promise<void> {
  if (account !== undefined) await chown(path, account.uid, account.gid);
}

/** As the inside of a sandbox sees them. */
export const INSIDE = {
  root: '/workspace',
  home: '/home/agent',
  tools: '/run/chatd',
  proxySocket: '/run/chatd/proxy.sock',
  proxyPort: 3128,
  /** In memory: nothing of a display is left when the sandbox has ended, however it did. */
  display: '/run/chatd/desktop',
  xSockets: '/tmp/.X11-unix',
} as const;

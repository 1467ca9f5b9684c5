import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentAccount } from './agent-account.ts';

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

/** Creates the empty folders of a workspace, owned by the account of its programs. */
export async function makeDirectories(
  { base, files, home, tmp }: Directories,
  account: AgentAccount | undefined,
): Promise<void> {
  await mkdir(base, { recursive: true });
  // Not readable for other users, but the agents' account must be able to traverse it.
  await chmod(base, account === undefined ? 0o700 : 0o711);
  for (const path of [files, home, tmp]) {
    await mkdir(path, { mode: 0o700 });
    await chownTo(path, account);
  }
}

export async function chownTo(path: string, account: AgentAccount | undefined): Promise<void> {
  if (account !== undefined) await chown(path, account.uid, account.gid);
}

export const INSIDE = {
  root: '/workspace',
  home: '/home/agent',
  tools: '/run/chatd',
  proxySocket: '/run/chatd/proxy.sock',
  proxyPort: 3128,
  /** In memory, so that nothing of a display outlives the sandbox. */
  display: '/run/chatd/desktop',
  xSockets: '/tmp/.X11-unix',
} as const;

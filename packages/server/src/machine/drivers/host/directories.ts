import { chmod, lchown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentAccount } from './agent-account.ts';

export interface Directories {
  readonly base: string;
  readonly files: string;
  readonly home: string;
  readonly tmp: string;
  /** Not visible in the sandbox. */
  readonly checkpoints: string;
}

export function directoriesOf(parent: string, id: string): Directories {
  const base = join(parent, id);
  const at = (name: string) => join(base, name);
  return {
    base,
    files: at('files'),
    home: at('home'),
    tmp: at('tmp'),
    checkpoints: at('checkpoints'),
  };
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
  if (account !== undefined) await lchown(path, account.uid, account.gid);
}

export const INSIDE = {
  root: '/workspace',
  home: '/home/agent',
  tools: '/run/chatd',
  proxySocket: '/run/chatd/proxy.sock',
  proxyPort: 3128,
  /** Where git reaches the server. */
  gatewayPort: 3129,
  /** In memory, so that nothing of a display outlives the sandbox. */
  display: '/run/chatd/desktop',
  xSockets: '/tmp/.X11-unix',
} as const;

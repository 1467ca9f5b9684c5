import { closeSync, constants, openSync } from 'node:fs';
import { chmod, chown, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EgressPolicy, startEgressProxy } from '../network/egress-proxy.ts';
import type { AgentAccount } from './agent-account.ts';

interface ProxySocket {
  readonly path: string;
  close(): void;
}

const NAME = 'proxy.sock';

/** The egress proxy of a workspace, on a socket that its programs cannot replace. */
export async function openProxy(
  folder: string,
  account: AgentAccount | undefined,
  policy: EgressPolicy,
): Promise<ProxySocket> {
  const path = join(folder, NAME);
  await rm(path, { force: true });
  // Socket paths are limited to 107 bytes. The path by file descriptor is always short.
  const directory = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const proxy = await startEgressProxy(`/proc/self/fd/${directory}/${NAME}`, policy);
    await chmod(path, 0o600);
    if (account !== undefined) await chown(path, account.uid, account.gid);
    let closed = false;
    return {
      path,
      close() {
        if (closed) return;
        closed = true;
        proxy.close();
        closeSync(directory);
        void rm(path, { force: true });
      },
    };
  } catch (error) {
    closeSync(directory);
    throw error;
  }
}

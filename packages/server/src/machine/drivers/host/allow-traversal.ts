import { chmod } from 'node:fs/promises';
import { WorkspaceOpenError } from '../driver.ts';
import { type AgentAccount, canRun } from './agent-account.ts';

/** Lets the agents' account traverse the given folders without reading them. Folders above are not changed. */
export async function allowTraversal(
  folders: readonly string[],
  account: AgentAccount | undefined,
): Promise<void> {
  if (account === undefined) return;
  const last = folders.at(-1) ?? '/';
  if (await canEnter(last, account)) return;
  for (const folder of folders) await chmod(folder, 0o711);
  if (await canEnter(last, account)) return;
  throw new WorkspaceOpenError(
    `chatd runs as root, so agent programs run as user ${account.uid}, which cannot access the ` +
      `folders above ${last}. Set CHATD_DATA_DIR to another data directory, for example /var/lib/chatd.`,
  );
}

const canEnter = (folder: string, account: AgentAccount) =>
  canRun(account, '/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder]);

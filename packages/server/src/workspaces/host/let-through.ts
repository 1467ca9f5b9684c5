import { chmod } from 'node:fs/promises';
import { WorkspaceOpenError } from '../driver.ts';
import { type AgentAccount, canRun } from './agent-account.ts';

/** The folders are ours to open for passing through, which shows nothing of them; what is above them is not. */
export async function letThrough(
  folders: readonly string[],
  account: AgentAccount | undefined,
): Promise<void> {
  if (account === undefined) return;
  const last = folders.at(-1) ?? '/';
  if (await canEnter(last, account)) return;
  for (const folder of folders) await chmod(folder, 0o711);
  if (await canEnter(last, account)) return;
  throw new WorkspaceOpenError(
    `chatd runs as root, so the agents' programs run as the user ${account.uid}, who may not pass through the ` +
      `folders above ${last}. Choose another data directory with CHATD_DATA_DIR (for example /var/lib/chatd).`,
  );
}

const canEnter = (folder: string, account: AgentAccount) =>
  canRun(account, '/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder]);

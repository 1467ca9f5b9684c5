import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The account for agent programs when the server runs as root. */
export interface AgentAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * An unused id: existing accounts (`nobody`, `postgres`) may own files that agents must not read. The second is for
 * containers that do not map the first.
 */
const CANDIDATES = [2_007_717, 65_534];

/** Undefined: the server is not root, and agent programs run under its own account. */
export async function agentAccount(): Promise<AgentAccount | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  for (const id of CANDIDATES) {
    const account = { uid: id, gid: id };
    if (await works(account)) return account;
  }
  throw new Error('chatd runs as root and cannot run programs under another account');
}

const works = (account: AgentAccount) =>
  run('/bin/sh', ['-c', ':'], { ...account, cwd: '/' }).then(
    () => true,
    () => false,
  );

export async function canRun(
  account: AgentAccount | undefined,
  program: string,
  args: readonly string[],
): Promise<boolean> {
  try {
    await run(program, [...args], { ...account, cwd: '/', env: {} });
    return true;
  } catch {
    return false;
  }
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Who the agents' programs run as when we are root. */
export interface AgentAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * A number that nobody has: an account that something else runs under (`nobody`, PostgreSQL's) would own what is
 * not the agents' to see. The other one is for containers in which no such number exists.
 */
const CANDIDATES = [2_007_717, 65_534];

/** Undefined: we are no root, and programs run as we do. */
export async function agentAccount(): Promise<AgentAccount | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  for (const id of CANDIDATES) {
    const account = { uid: id, gid: id };
    if (await works(account)) return account;
  }
  throw new Error('chatd runs as root and cannot run programs as anybody else');
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

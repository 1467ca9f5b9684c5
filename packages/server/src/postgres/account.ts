import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The unprivileged account PostgreSQL runs under when we are root: it refuses to run as root itself. */
export interface PostgresAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const CANDIDATES = ['postgres', 'nobody'];

/**
 * Undefined: we are no root, PostgreSQL runs as we do. A database that exists keeps its owner, whatever accounts
 * were added to the machine since: PostgreSQL accepts only a directory of its own.
 */
export async function chooseAccount(
  database: { uid: number; gid: number } | undefined,
): Promise<PostgresAccount | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  if (database !== undefined && database.uid !== 0) {
    return { name: await nameOf(database.uid), uid: database.uid, gid: database.gid };
  }
  for (const name of CANDIDATES) {
    const account = await accountNamed(name);
    if (account !== undefined) return account;
  }
  return { name: '65534', uid: 65_534, gid: 65_534 };
}

async function accountNamed(name: string): Promise<PostgresAccount | undefined> {
  try {
    const [uid, gid] = await Promise.all([id('-u', name), id('-g', name)]);
    return { name, uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined;
  }
}

async function nameOf(uid: number): Promise<string> {
  return id('-un', String(uid)).catch(() => String(uid));
}

async function id(option: string, who: string): Promise<string> {
  const { stdout } = await run('id', [option, who]);
  return stdout.trim();
}

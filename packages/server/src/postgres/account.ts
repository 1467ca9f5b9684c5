import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The account that runs PostgreSQL if chatd runs as root. PostgreSQL itself refuses to run as root. */
export interface PostgresAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const CANDIDATES = ['postgres', 'nobody'];

/**
 * Undefined: chatd is not root, and PostgreSQL runs under the same account. An existing database keeps its owner:
 * PostgreSQL accepts only a directory that its account owns.
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

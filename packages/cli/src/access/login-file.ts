import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandFailed } from '../command-failed.ts';
import { EXIT } from '../exit-codes.ts';

export interface Login {
  readonly url: string;
  readonly token: string;
  /** Set if chatd login created the token: chatd logout revokes it. */
  readonly token_id?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function loginPath(env: Environment): string {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  const config = given === '' ? join(env['HOME'] ?? homedir(), '.config') : given;
  return join(config, 'chatd', 'login.json');
}

export async function readLogin(env: Environment): Promise<Login | undefined> {
  const path = loginPath(env);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw unusable(path, String(error));
  }
  try {
    const login = JSON.parse(text) as Partial<Login>;
    if (typeof login.url === 'string' && typeof login.token === 'string') return login as Login;
  } catch {
    // Reported below.
  }
  throw unusable(path, 'not a login file');
}

/** Readable by its owner only. The file is replaced as a whole. */
export async function writeLogin(env: Environment, login: Login): Promise<string> {
  const path = loginPath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
  return path;
}

export async function removeLogin(env: Environment): Promise<void> {
  await rm(loginPath(env), { force: true });
}

const unusable = (path: string, why: string) =>
  new CommandFailed(
    EXIT.failed,
    `Cannot read the login in ${path}: ${why}.`,
    'Delete the file and run chatd login again.',
  );

import { createHash, type KeyObject, createSecretKey, randomBytes, scrypt } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { flush, writeDurably } from '../postgres/durable.ts';
import { StartError } from '../start-error.ts';

export interface MasterKey {
  /** Part of every ciphertext. Reveals nothing about the key. */
  readonly id: string;
  readonly key: KeyObject;
}

const KEY_FILE = 'secret.key';
const derive = promisify<string, string, number, Buffer>(scrypt);

/**
 * Derives the same key from the same text on every replica. Slow on purpose, because the text may be a weak password.
 */
export async function masterKey(text: string): Promise<MasterKey> {
  const bytes = await derive(text, 'chatd secret key', 32);
  const id = createHash('sha256').update('id').update(bytes).digest('hex').slice(0, 12);
  return { id, key: createSecretKey(bytes) };
}

/**
 * The keys in use; the first encrypts. They come from the operator or, for an embedded database, from a generated file.
 * A generated key still decrypts after the operator has set one.
 */
export async function masterKeys(options: {
  /** CHATD_SECRET_KEY: one key, or several separated by commas. */
  readonly given: string | undefined;
  /** Undefined: the database is external, and other replicas may use it. */
  readonly dataDir: string | undefined;
}): Promise<MasterKey[]> {
  const given = splitKeys(options.given ?? '');
  const file = options.dataDir === undefined ? undefined : join(options.dataDir, KEY_FILE);
  const kept = file === undefined ? undefined : await keptKey(file, given.length === 0);
  return await Promise.all([...given, ...(kept === undefined ? [] : [kept])].map(masterKey));
}

export const splitKeys = (text: string): string[] =>
  text
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');

async function keptKey(path: string, make: boolean): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    if (text.length < 16) throw damaged(path, 'it is empty or truncated');
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) throw damaged(path, 'it is readable for other users');
    return text;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  if (!make) return undefined;
  const text = randomBytes(32).toString('base64url');
  await writeDurably(path, `${text}\n`, 0o600);
  await flush(dirname(path));
  return text;
}

const damaged = (path: string, what: string) =>
  new StartError(
    'usage',
    `${path}, the key that encrypts provider keys, cannot be used: ${what}.`,
    'Restore it from a backup with mode 0600. If it is lost, delete it and enter the provider keys again.',
  );

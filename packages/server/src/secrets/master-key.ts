import { createHash, type KeyObject, createSecretKey, randomBytes, scrypt } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { flush, writeDurably } from '../postgres/durable.ts';
import { StartError } from '../start-error.ts';

/** What secrets are encrypted with. */
export interface MasterKey {
  /** Stands in every ciphertext, and says nothing about the key. */
  readonly id: string;
  readonly key: KeyObject;
}

const KEY_FILE = 'secret.key';
const derive = promisify<string, string, number, Buffer>(scrypt);

/** The same text gives the same key on every replica. Slow on purpose: the text may be a word. */
export async function masterKey(text: string): Promise<MasterKey> {
  const bytes = await derive(text, 'chatd secret key', 32);
  const id = createHash('sha256').update('id').update(bytes).digest('hex').slice(0, 12);
  return { id, key: createSecretKey(bytes) };
}

/**
 * The keys in use, the one that encrypts first. Given by the operator, or, where the data directory is ours alone,
 * made there; a key that was made there still decrypts after the operator has given one.
 */
export async function masterKeys(options: {
  /** CHATD_SECRET_KEY: one, or several separated by commas. */
  readonly given: string | undefined;
  /** Undefined: the database is somewhere else, and other replicas may use it. */
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
    if (text.length < 16) throw damaged(path, 'it is empty or cut off');
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) throw damaged(path, 'others can read it');
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
    `${path}, which encrypts the keys of providers, cannot be used: ${what}.`,
    'Restore it from a backup with mode 0600. If it is lost, delete it and enter the keys of providers again.',
  );

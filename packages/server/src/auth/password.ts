import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { Semaphore } from './semaphore.ts';

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** OWASP's parameters for scrypt: 32 MiB and about 80 ms per attempt. Stored with each hash, so they can be raised. */
const COST: Cost = { N: 2 ** 15, r: 8, p: 3 };
const KEY_BYTES = 32;

/** Node has four threads for this work. Connecting to PostgreSQL and reading files need them, too. */
const semaphore = new Semaphore(2);

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return stored(COST, salt, await derive(password, salt, COST, KEY_BYTES));
}

const stored = ({ N, r, p }: Cost, salt: Buffer, key: Buffer) =>
  `scrypt$${N}$${r}$${p}$${salt.toString('base64')}$${key.toString('base64')}`;

/** Checked when the user does not exist or has no password, at the same cost. */
const DUMMY_HASH = stored(COST, randomBytes(16), randomBytes(KEY_BYTES));

/** Takes the same time for a missing user, a user without a password and a user with one. */
export async function checkPassword(password: string, hash: string | null): Promise<boolean> {
  const [scheme, N, r, p, salt = '', expected = ''] = (hash ?? DUMMY_HASH).split('$');
  if (scheme !== 'scrypt') throw new Error(`unknown password hash scheme: ${scheme}`);
  const wanted = Buffer.from(expected, 'base64');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const key = await derive(password, Buffer.from(salt, 'base64'), cost, wanted.length);
  return timingSafeEqual(key, wanted) && hash !== null;
}

function derive(password: string, salt: Buffer, cost: Cost, bytes: number): Promise<Buffer> {
  const maxmem = 2 * 128 * cost.N * cost.r;
  // Both Unicode encodings of an accented letter are the same password.
  const plain = password.normalize('NFKC');
  return semaphore.run(() => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    scrypt(plain, salt, bytes, { ...cost, maxmem }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
    return promise;
  });
}

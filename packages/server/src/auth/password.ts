import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { Turns } from './turns.ts';

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** OWASP's parameters for scrypt: 32 MiB and some 80 ms a try. Stored with each hash, so they can be raised. */
const COST: Cost = { N: 2 ** 15, r: 8, p: 3 };
const KEY_BYTES = 32;

/** Node has four threads for this, and connecting to PostgreSQL and reading files need them as well. */
const turns = new Turns(2);

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return stored(COST, salt, await derive(password, salt, COST, KEY_BYTES));
}

const stored = ({ N, r, p }: Cost, salt: Buffer, key: Buffer) =>
  `scrypt$${N}$${r}$${p}$${salt.toString('base64')}$${key.toString('base64')}`;

/** Nobody's: checked in place of the hash that an unknown user does not have, at the same cost. */
const NOBODY = stored(COST, randomBytes(16), randomBytes(KEY_BYTES));

/** Takes as long for a user without a password, or for none at all, as for one with a password. */
export async function checkPassword(password: string, hash: string | null): Promise<boolean> {
  const [scheme, N, r, p, salt = '', expected = ''] = (hash ?? NOBODY).split('$');
  if (scheme !== 'scrypt') throw new Error(`a password is stored in an unknown way: ${scheme}`);
  const wanted = Buffer.from(expected, 'base64');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const key = await derive(password, Buffer.from(salt, 'base64'), cost, wanted.length);
  return timingSafeEqual(key, wanted) && hash !== null;
}

function derive(password: string, salt: Buffer, cost: Cost, bytes: number): Promise<Buffer> {
  const maxmem = 2 * 128 * cost.N * cost.r;
  // Two spellings of one accented letter are one password.
  const plain = password.normalize('NFKC');
  return turns.take(() => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    scrypt(plain, salt, bytes, { ...cost, maxmem }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
    return promise;
  });
}

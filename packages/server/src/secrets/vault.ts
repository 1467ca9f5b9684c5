import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { MasterKey } from './master-key.ts';
import { type SecretValues, knownSecrets } from './secret-values.ts';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export class NoMasterKey extends Error {
  override readonly name = 'NoMasterKey';

  constructor() {
    super(
      'No key to encrypt secrets with. Set CHATD_SECRET_KEY to the same value on all replicas.',
    );
  }
}

/** Encrypted with another key or for another row, or damaged. */
export class UnreadableSecret extends Error {
  override readonly name = 'Unreadable';

  constructor() {
    super('A stored secret cannot be decrypted with the keys in CHATD_SECRET_KEY.');
  }
}

/**
 * Secrets at rest: `v1.KEY_ID.BASE64URL(iv, ciphertext, tag)`. The row is authenticated data, so that a ciphertext
 * copied to another row cannot be decrypted.
 */
export class Vault {
  readonly #keys: ReadonlyMap<string, MasterKey>;
  readonly #first: MasterKey | undefined;
  readonly #known: SecretValues;

  constructor(keys: readonly MasterKey[], known: SecretValues = knownSecrets) {
    this.#keys = new Map(keys.map((key) => [key.id, key]));
    this.#first = keys[0];
    this.#known = known;
  }

  get canSeal(): boolean {
    return this.#first !== undefined;
  }

  /** A key for another purpose, derived from each key. The first is the current one. */
  derivedKeys(purpose: string): Buffer[] {
    return [...this.#keys.values()].map(({ key }) =>
      Buffer.from(hkdfSync('sha256', key.export(), '', `chatd ${purpose}`, 32)),
    );
  }

  seal(secrets: Readonly<Record<string, string>>, row: string): string {
    if (this.#first === undefined) throw new NoMasterKey();
    for (const value of Object.values(secrets)) this.#known.add(value);
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#first.key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(row));
    const sealed = Buffer.concat([iv, cipher.update(JSON.stringify(secrets)), cipher.final()]);
    const bytes = Buffer.concat([sealed, cipher.getAuthTag()]);
    return `v1.${this.#first.id}.${bytes.toString('base64url')}`;
  }

  open(sealed: string, row: string): Record<string, string> {
    const [version, id = '', text = ''] = sealed.split('.');
    const key = this.#keys.get(id);
    const bytes = Buffer.from(text, 'base64url');
    if (version !== 'v1' || key === undefined || bytes.length < IV_BYTES + TAG_BYTES) {
      throw new UnreadableSecret();
    }
    const secrets = decrypted(key, bytes, row);
    for (const value of Object.values(secrets)) this.#known.add(value);
    return secrets;
  }

  /** Whether it is encrypted with the current key. */
  isCurrent(sealed: string): boolean {
    return this.#first !== undefined && sealed.startsWith(`v1.${this.#first.id}.`);
  }
}

function decrypted({ key }: MasterKey, bytes: Buffer, row: string): Record<string, string> {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(row));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const plain = [decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()];
    return JSON.parse(Buffer.concat(plain).toString()) as Record<string, string>;
  } catch {
    // OpenSSL's message is not helpful.
    throw new UnreadableSecret();
  }
}

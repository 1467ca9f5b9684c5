import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { masterKey, masterKeys } from './master-key.ts';
import { SecretValues } from './secret-values.ts';
import { NoMasterKey, UnreadableSecret, Vault } from './vault.ts';

const folder = await mkdtemp(join(tmpdir(), 'chatd-secrets-'));
afterAll(() => rm(folder, { recursive: true }));

const one = await masterKey('the first secret key');
const two = await masterKey('the second secret key');
const vault = (...keys: (typeof one)[]) => new Vault(keys, new SecretValues());
const secrets = { api_key: 'sk-0123456789abcdef' };

test('a secret sealed for a row can be opened only for that row', () => {
  const sealed = vault(one).seal(secrets, 'provider:a');
  expect(vault(one).open(sealed, 'provider:a')).toEqual(secrets);
  expect(() => vault(one).open(sealed, 'provider:b')).toThrow(UnreadableSecret);
});

test('a sealed secret contains no plaintext, and is different each time', () => {
  const sealed = vault(one).seal(secrets, 'a');
  expect(sealed).not.toContain('0123');
  expect(Buffer.from(sealed.split('.')[2]!, 'base64url').toString('latin1')).not.toContain('0123');
  expect(vault(one).seal(secrets, 'a')).not.toBe(sealed);
});

test.each([0, 12, 30])('a changed byte at %i is detected', (at) => {
  const [version, id, text] = vault(one).seal(secrets, 'a').split('.');
  const bytes = Buffer.from(text!, 'base64url');
  bytes[at]! ^= 1;
  const changed = `${version}.${id}.${bytes.toString('base64url')}`;
  expect(() => vault(one).open(changed, 'a')).toThrow(UnreadableSecret);
});

test('the first key seals, and every key opens', () => {
  const old = vault(one).seal(secrets, 'a');
  const both = vault(two, one);
  expect(both.open(old, 'a')).toEqual(secrets);
  expect(both.isCurrent(old)).toBe(false);
  const fresh = both.seal(secrets, 'a');
  expect(both.isCurrent(fresh)).toBe(true);
  expect(vault(two).open(fresh, 'a')).toEqual(secrets);
  expect(() => vault(two).open(old, 'a')).toThrow(UnreadableSecret);
});

test('without a key, nothing can be sealed', () => {
  expect(vault().canSeal).toBe(false);
  expect(() => vault().seal(secrets, 'a')).toThrow(NoMasterKey);
});

test('garbage is unreadable', () => {
  for (const text of ['', 'v1', `v1.${one.id}.`, `v2.${one.id}.AAAA`]) {
    expect(() => vault(one).open(text, 'a')).toThrow(UnreadableSecret);
  }
});

test('a secret that was sealed or opened is hidden from then on', () => {
  const sealing = new SecretValues();
  const sealed = new Vault([one], sealing).seal(secrets, 'a');
  expect(sealing.hideParts(secrets.api_key)).toBe('[hidden]');
  const opening = new SecretValues();
  new Vault([one], opening).open(sealed, 'a');
  expect(opening.hideParts(secrets.api_key)).toBe('[hidden]');
});

test('the operator can set several keys, or none', async () => {
  const given = 'the second secret key,the first secret key';
  const ids = (await masterKeys({ given, dataDir: undefined })).map(({ id }) => id);
  expect(ids).toEqual([two.id, one.id]);
  expect(await masterKeys({ given: undefined, dataDir: undefined })).toEqual([]);
});

test('a key is created once in the data directory, and other users cannot read it', async () => {
  const first = await masterKeys({ given: undefined, dataDir: folder });
  const again = await masterKeys({ given: undefined, dataDir: folder });
  expect(first).toHaveLength(1);
  expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
  const path = join(folder, 'secret.key');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const given = await masterKeys({ given: 'the first secret key', dataDir: folder });
  expect(given.map(({ id }) => id)).toEqual([one.id, first[0]!.id]);

  await chmod(path, 0o644);
  const open = masterKeys({ given: undefined, dataDir: folder });
  await expect(open).rejects.toThrow('readable for other users');
  await chmod(path, 0o600);
  const text = await readFile(path, 'utf8');
  await writeFile(path, '');
  const empty = masterKeys({ given: undefined, dataDir: folder });
  await expect(empty).rejects.toThrow('empty or truncated');
  await writeFile(path, text);
});

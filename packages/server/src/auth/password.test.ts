import { expect, test } from 'vitest';
import { checkPassword, hashPassword } from './password.ts';

test('a password matches in any Unicode normalization form', async () => {
  const hash = await hashPassword('caf\u00e9 au lait');
  expect(hash).toMatch(/^scrypt\$32768\$8\$3\$/);
  expect(await checkPassword('cafe\u0301 au lait', hash)).toBe(true);
  expect(await checkPassword('cafe au lait', hash)).toBe(false);
});

test('the same password gets a different hash each time', async () => {
  expect(await hashPassword('password')).not.toBe(await hashPassword('password'));
});

test('no password matches a missing hash', async () => {
  expect(await checkPassword('', null)).toBe(false);
});

test('a hash with other cost parameters can still be verified', async () => {
  // scrypt of "password" with the salt "NaCl", N=1024, r=8, p=16: RFC 7914.
  const key = Buffer.from(
    'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    'hex',
  );
  const salt = Buffer.from('NaCl').toString('base64');
  const hash = `scrypt$1024$8$16$${salt}$${key.toString('base64')}`;
  expect(await checkPassword('password', hash)).toBe(true);
});

import { randomBytes } from 'node:crypto';
import { array, assert, nat, oneof, property, string, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { SecretValues } from './secret-values.ts';

const known = (...values: string[]) => {
  const secrets = new SecretValues();
  for (const value of values) secrets.add(value);
  return secrets;
};

const parts = (secret: string) =>
  Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8));

test('a secret is hidden wherever it appears', () => {
  const secrets = known('sk-abcdef-123456', 'AKIA0123456789');
  expect(secrets.hideParts('sk-abcdef-123456')).toBe('[hidden]');
  expect(secrets.hideParts('a sk-abcdef-123456, AKIA0123456789 z')).toBe('a [hidden], [hidden] z');
  expect(secrets.hide('a sk-abcdef-123456, AKIA0123456789 z')).toBe('a [hidden], [hidden] z');
});

test('parts of a secret are hidden by hideParts, but not by hide', () => {
  const secrets = known('sk-abcdef-123456');
  const masked = 'bad key: sk-abcde***-123456, try again';
  expect(secrets.hideParts(masked)).toBe('bad key: [hidden]***-123456, try again');
  expect(secrets.hide(masked)).toBe(masked);
});

test('text without a secret is unchanged', () => {
  const text = 'Nothing to see here, 0123456 is too short.';
  expect(known('0123456789').hideParts(text)).toBe(text);
  expect(known().hideParts(text)).toBe(text);
});

test('no eight consecutive characters of a secret remain, whatever surrounds them', () => {
  const secret = `sk-${randomBytes(24).toString('base64url')}`;
  const secrets = known(secret);
  const piece = tuple(nat(secret.length - 1), nat(secret.length)).map(([from, length]) =>
    secret.slice(from, from + length),
  );
  const text = array(oneof(piece, string({ maxLength: 12 }))).map((all) => all.join(''));
  assert(
    property(text, (given) => {
      const shown = secrets.hideParts(given);
      expect(parts(secret).filter((part) => shown.includes(part))).toEqual([]);
    }),
  );
});

import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readLabel, signLabel } from './preview-label.ts';

const key = randomBytes(32);
const claim = { workspaceId: randomUUID(), port: 65_535, expiresAt: 1_800_000_000_000 };
const before = claim.expiresAt - 1;

test('a host name label carries a signed claim until it expires', () => {
  const label = signLabel(key, claim);
  expect(label).toMatch(/^[a-z2-7]{61}$/);
  expect(readLabel([randomBytes(32), key], label, before)).toEqual(claim);
  expect(readLabel([key], label, claim.expiresAt)).toBeUndefined();
});

test('a changed label, or one signed with another key, is refused', () => {
  const label = signLabel(key, claim);
  expect(readLabel([randomBytes(32)], label, before)).toBeUndefined();
  expect(readLabel([key], 'a'.repeat(61), before)).toBeUndefined();
  expect(readLabel([key], `${label}a`, before)).toBeUndefined();
  // The last character has bits that are not part of the claim.
  for (let at = 0; at < 60; at += 1) {
    const other = label[at] === 'a' ? 'b' : 'a';
    const changed = label.slice(0, at) + other + label.slice(at + 1);
    expect(readLabel([key], changed, before), `character ${at}`).toBeUndefined();
  }
});

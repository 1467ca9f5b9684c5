import { Username } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { profileOf } from './profile.ts';

const claims = { iss: 'https://id.example', sub: '1' };
const usernameOf = (preferred_username: unknown, more = {}) =>
  profileOf({ ...claims, preferred_username, ...more }, { groupsClaim: 'groups' }).username;

const verified = (email_verified: unknown) =>
  profileOf({ ...claims, email: 'a@b.c', email_verified }, { groupsClaim: 'groups' }).emailVerified;

test.each([
  ['ada', 'ada'],
  ['Ada.Lovelace@example.org', 'ada.lovelace'],
  ['EXAMPLE\\ada', 'example-ada'],
  ['Zoë Müller', 'zoe-muller'],
  ['_admin_', 'admin'],
  ['太郎', 'user'],
  ['@', 'user'],
  [7, 'user'],
  ['a'.repeat(100), 'a'.repeat(40)],
])('%j becomes the user name %s', (given, username) => {
  expect(usernameOf(given)).toBe(username);
  expect(Username.safeParse(username).success).toBe(true);
});

test('without a preferred user name, the e-mail address and the name are used', () => {
  expect(usernameOf(undefined, { email: 'grace@example.org', name: 'Grace' })).toBe('grace');
  expect(usernameOf(undefined, { name: 'Grace Hopper' })).toBe('grace-hopper');
});

test.each([
  ['groups', { groups: ['a', 'b', 'a', 7, ''] }, ['a', 'b']],
  ['groups', { groups: 'a' }, ['a']],
  ['groups', {}, []],
  ['realm_access.roles', { realm_access: { roles: ['a'] } }, ['a']],
  ['https://example.org/groups', { 'https://example.org/groups': ['a'] }, ['a']],
  ['constructor.name', {}, []],
])('the groups in %s of %j are %j', (groupsClaim, more, groups) => {
  expect(profileOf({ ...claims, ...more }, { groupsClaim }).groups).toEqual(groups);
});

test('an e-mail address counts as verified only if the provider says so', () => {
  expect([true, 'true', 'false', 1, undefined].map(verified)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

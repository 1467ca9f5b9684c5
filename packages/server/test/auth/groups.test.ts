import { expect, test } from 'vitest';
import { syncGroups } from '../../src/entities/groups/sync-groups.ts';
import { startTestServer } from '@chatd/test-server';

const { admin, owner, store, stranger } = await startTestServer();

let number = 0;
const newGroup = async (body: object = {}) =>
  await admin.ok('createGroup', { body: { name: `group ${(number += 1)}`, ...body } });

const membersOf = async (group_id: string) =>
  (await admin.ok('listGroupMembers', { params: { group_id } })).members.map(({ id }) => id);

const changeMembers = async (group_id: string, body: { add?: string[]; remove?: string[] }) =>
  await admin.ok('updateGroupMembers', { params: { group_id }, body });

const sync = async (userId: string, names: readonly string[]) =>
  await store.database.transaction((tx) => syncGroups(tx, userId, names));

test('an admin creates, changes, and deletes a group', async () => {
  const group = await newGroup({ name: 'Research', spend_limit_micros: 5 });
  expect(group).toMatchObject({ name: 'Research', mirrored: false, members: 0 });
  expect(await admin.refusal('createGroup', { body: { name: 'Research' } })).toBe(
    '409 group_name_taken',
  );
  const params = { group_id: group.id };
  const changed = await admin.ok('updateGroup', { params, body: { name: 'Labs' } });
  expect(changed).toEqual({ ...group, name: 'Labs' });
  const body = { spend_limit_micros: null };
  expect(await admin.ok('updateGroup', { params, body })).toEqual({ ...changed, ...body });
  const other = await newGroup();
  expect(
    await admin.refusal('updateGroup', { params: { group_id: other.id }, body: { name: 'Labs' } }),
  ).toBe('409 group_name_taken');
  await admin.ok('deleteGroup', { params });
  expect(await admin.refusal('getGroup', { params })).toBe('404 not_found');
});

test('members see the names of their groups, and no other group', async () => {
  const group = await newGroup({ spend_limit_micros: 1 });
  const hidden = await newGroup();
  await changeMembers(group.id, { add: [store.owner] });
  const { groups } = await owner.ok('listGroups');
  expect(groups).toContainEqual({ id: group.id, name: group.name });
  expect(groups.map(({ id }) => id)).not.toContain(hidden.id);
  expect((await stranger.ok('listGroups')).groups).toEqual([]);
});

test('adding and removing members is idempotent', async () => {
  const { id } = await newGroup();
  const user = await admin.ok('createUser', { body: { username: 'ada' } });
  expect(await changeMembers(id, { add: [user.id, store.owner] })).toMatchObject({ members: 2 });
  expect(await changeMembers(id, { add: [user.id] })).toMatchObject({ members: 2 });
  expect((await membersOf(id)).toSorted()).toEqual([store.owner, user.id].toSorted());
  await changeMembers(id, { remove: [store.owner] });
  expect(await membersOf(id)).toEqual([user.id]);
  await admin.ok('deleteUser', { params: { user_id: user.id } });
  expect(await membersOf(id)).toEqual([]);
  const add = [user.id];
  expect(
    await admin.refusal('updateGroupMembers', { params: { group_id: id }, body: { add } }),
  ).toBe('400 unknown_user');
  const { audit_events } = await admin.ok('listAuditEvents', {
    query: { action: 'group.update_members' },
  });
  expect(audit_events.map(({ detail }) => detail)).toContainEqual({
    add: [],
    remove: [store.owner],
  });
});

test('a mirrored group follows the identity provider', async () => {
  const managed = await newGroup({ name: 'managed' });
  expect(await sync(store.owner, ['eng', ' eng ', '', 'x\0', 'y'.repeat(201), 'managed'])).toBe(
    true,
  );
  const { groups } = await admin.ok('listGroups');
  const eng = groups.find(({ name }) => name === 'eng');
  expect(eng).toMatchObject({ mirrored: true, members: 1 });
  expect(groups.filter(({ name }) => name.startsWith('x') || name.startsWith('y'))).toEqual([]);
  expect(await membersOf(managed.id)).toEqual([]);
  expect(await sync(store.owner, ['eng'])).toBe(false);

  const params = { group_id: eng?.id ?? '' };
  const remove = [store.owner];
  for (const [name, body] of [
    ['updateGroupMembers', { remove }],
    ['updateGroup', { name: 'engineering' }],
  ] as const) {
    expect(await admin.refusal(name, { params, body })).toBe('409 group_mirrored');
  }
  await changeMembers(managed.id, { add: [store.owner] });
  expect(await sync(store.owner, ['ops'])).toBe(true);
  expect(await membersOf(params.group_id)).toEqual([]);
  expect(await membersOf(managed.id)).toEqual([store.owner]);
  const { audit_events } = await admin.ok('listAuditEvents', {
    query: { action: 'user.sync_groups' },
  });
  expect(audit_events[0]).toMatchObject({
    actor_kind: 'system',
    target_id: store.owner,
    detail: { left: [params.group_id] },
  });
});

test('parallel sign-ins create a group once', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `claimed ${index}`);
  const users = await Promise.all(
    ['p1', 'p2', 'p3', 'p4'].map((username) => admin.ok('createUser', { body: { username } })),
  );
  await Promise.all(
    users.map(({ id }, index) => sync(id, index % 2 === 0 ? names : names.toReversed())),
  );
  const { groups } = await admin.ok('listGroups');
  const claimed = groups.filter(({ name }) => name.startsWith('claimed'));
  expect(claimed.map(({ members }) => members)).toEqual(names.map(() => 4));
});

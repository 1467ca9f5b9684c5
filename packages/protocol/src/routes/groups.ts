import { z } from 'zod';
import { Group, GroupMember, GroupName, GroupSpendLimit } from '../group.ts';
import { Uuid } from '../ids.ts';
import { Cursor, Limit, NextCursor, NoNextCursor } from '../page.ts';
import { routeWith } from '../route.ts';

const route = routeWith('Groups');
const GroupParams = z.strictObject({ group_id: Uuid.describe('ID of the group.') });
const Name = GroupName.meta({
  description: 'Unique name: 1 to 200 characters.',
  examples: ['Research'],
});
const MIRRORED =
  'The members follow the groups claim of the identity provider at each sign-in, by the name of the group.';

export const groupRoutes = {
  listGroups: route({
    method: 'get',
    path: '/groups',
    summary: 'List groups',
    description: 'Sorted by name. Admins get all groups, other users the groups they belong to.',
    scope: 'read',
    answers: {
      200: z.object({
        groups: z.array(Group).describe('All groups.'),
        next_cursor: NoNextCursor,
      }),
    },
  }),
  createGroup: route({
    method: 'post',
    path: '/groups',
    summary: 'Create a group',
    description: 'It has no members. Add them with `updateGroupMembers`.',
    scope: 'admin',
    body: z
      .strictObject({
        name: Name,
        mirrored: z.boolean().default(false).describe(`${MIRRORED} Default: false.`),
        spend_limit_micros: GroupSpendLimit.optional().describe(
          'Spend limit of all members together per calendar month (UTC), in millionths of a US dollar. Null: no limit. Default: null.',
        ),
      })
      .meta({ examples: [{ name: 'Research', spend_limit_micros: 500_000_000 }] }),
    answers: { 201: Group },
    refusals: ['group_name_taken'],
    audit: { action: 'group.create', values: ['name'] },
  }),
  getGroup: route({
    method: 'get',
    path: '/groups/{group_id}',
    summary: 'Get a group',
    description: 'List its members with `listGroupMembers`.',
    scope: 'admin',
    params: GroupParams,
    answers: { 200: Group },
  }),
  updateGroup: route({
    method: 'patch',
    path: '/groups/{group_id}',
    summary: 'Change the name or spend limit of a group',
    description:
      'Omitted fields do not change. A new spend limit takes effect on all servers within 10 seconds. The name of a mirrored group cannot be changed.',
    scope: 'admin',
    params: GroupParams,
    body: z
      .strictObject({
        name: Name.optional(),
        mirrored: z
          .boolean()
          .optional()
          .describe(`${MIRRORED} False keeps the current members, and admins can change them.`),
        spend_limit_micros: GroupSpendLimit.optional(),
      })
      .meta({ examples: [{ spend_limit_micros: 500_000_000 }] }),
    answers: { 200: Group },
    refusals: ['group_name_taken', 'group_mirrored'],
    audit: { action: 'group.update', values: ['name'] },
  }),
  deleteGroup: route({
    method: 'delete',
    path: '/groups/{group_id}',
    summary: 'Delete a group; its members stay',
    description:
      'Cannot be undone. Models and MCP servers that only this group could use are then only for admins.',
    scope: 'admin',
    params: GroupParams,
    answers: { 204: null },
    audit: { action: 'group.delete' },
  }),
  listGroupMembers: route({
    method: 'get',
    path: '/groups/{group_id}/members',
    summary: 'List the members of a group',
    description: 'Sorted by creation time of the user.',
    scope: 'admin',
    params: GroupParams,
    query: z.strictObject({ limit: Limit, cursor: Cursor }),
    answers: {
      200: z.object({
        members: z.array(GroupMember).describe('One page of members.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  updateGroupMembers: route({
    method: 'patch',
    path: '/groups/{group_id}/members',
    summary: 'Add and remove members of a group',
    description:
      'Takes effect with the next request and the next model call of the user, on other servers within seconds.',
    scope: 'admin',
    params: GroupParams,
    body: z
      .strictObject({
        add: z
          .array(Uuid)
          .max(1000)
          .default([])
          .describe('Users to add. Members are skipped. Default: none.'),
        remove: z
          .array(Uuid)
          .max(1000)
          .default([])
          .describe('Users to remove. Users who are not members are skipped. Default: none.'),
      })
      .meta({ examples: [{ add: ['01940a3e-5f5c-7a52-8d6a-2f7ce5f1a001'] }] }),
    answers: { 200: Group },
    refusals: ['unknown_user', 'group_mirrored'],
    audit: { action: 'group.update_members', values: ['add', 'remove'] },
  }),
};

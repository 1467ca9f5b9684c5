import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';

export const GroupName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((name) => !name.includes('\0'), 'must not contain NUL characters');

export const GroupSpendLimit = z
  .int()
  .nonnegative()
  .nullable()
  .describe(
    'Spend limit of all members together per calendar month (UTC), in millionths of a US dollar. Null: no limit.',
  );

/** The groups that can use a model config or an MCP server. */
export const GroupIds = z.array(Uuid).max(100).nullable();

export const GROUP_IDS =
  'Groups whose members can use it. For other members, it does not exist; admins can always use it. An empty list: only admins. Null: all users.';

export const Group = z
  .object({
    id: Uuid.describe('ID of the group. A UUIDv7.'),
    name: z.string().meta({ description: 'Unique name of the group.', examples: ['Research'] }),
    mirrored: z
      .boolean()
      .optional()
      .describe(
        'True if the members follow the groups claim of the identity provider at each sign-in. Absent for members.',
      ),
    members: z.int().nonnegative().optional().describe('Number of members. Absent for members.'),
    spend_limit_micros: GroupSpendLimit.optional().describe(
      'Spend limit of all members together per calendar month (UTC), in millionths of a US dollar. Null: no limit. Absent for members.',
    ),
    created_at: Timestamp.optional().describe('Creation time. Absent for members.'),
  })
  .meta({
    id: 'Group',
    description: 'A group of users, with a spend limit and access to restricted models.',
  });
export type Group = z.infer<typeof Group>;

export const GroupMember = z
  .object({
    id: Uuid.describe('ID of the user.'),
    username: z.string().meta({ description: 'Name of the user.', examples: ['ada'] }),
  })
  .meta({ id: 'GroupMember', description: 'A user in a group.' });
export type GroupMember = z.infer<typeof GroupMember>;

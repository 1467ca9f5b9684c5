import type { GroupRow } from '../groups.ts';
import { statement } from '../statement.ts';

/**
 * Whether a user can use a model config or an MCP server: it is not restricted, the user belongs to one of its groups, or is
 * an admin. `user` is a parameter.
 */
export const usableBy = (table: 'mcp_servers' | 'model_configs', user: string): string =>
  `(${table}.group_ids IS NULL
     OR EXISTS (SELECT FROM group_members
                 WHERE group_members.user_id = ${user} AND group_members.group_id = ANY(${table}.group_ids))
     OR EXISTS (SELECT FROM users WHERE users.id = ${user} AND users.role = 'admin'))`;

const GROUP_COLUMNS = `groups.id, groups.name, groups.mirrored, groups.spend_limit_micros, groups.created_at,
  (SELECT count(*) FROM group_members WHERE group_members.group_id = groups.id) AS members`;

/** Null :user_id: all groups, else those of the user. */
export const listGroups = statement<{ user_id: string | null }, GroupRow>(
  'list-groups',
  `SELECT ${GROUP_COLUMNS}
     FROM groups
    WHERE :user_id::uuid IS NULL OR id IN (SELECT group_id FROM group_members WHERE user_id = :user_id)
    ORDER BY lower(name), name`,
);

export const findGroup = statement<{ id: string }, GroupRow>(
  'find-group',
  `SELECT ${GROUP_COLUMNS} FROM groups WHERE id = :id`,
);

/** The existing ones of these groups. They cannot be deleted before the transaction ends. */
export const keepGroups = statement<{ ids: readonly string[] }, { id: string }>(
  'keep-groups',
  `SELECT id FROM groups WHERE id = ANY(:ids::uuid[]) ORDER BY id FOR KEY SHARE`,
);

/** No row: the name is taken. */
export const insertGroup = statement<
  { id: string; name: string; mirrored: boolean; spend_limit_micros: number | null },
  GroupRow
>(
  'insert-group',
  `INSERT INTO groups (id, name, mirrored, spend_limit_micros)
   VALUES (:id, :name, :mirrored, :spend_limit_micros)
   ON CONFLICT (name) DO NOTHING
   RETURNING ${GROUP_COLUMNS}`,
);

/** Null: unchanged, except for the limit if `sets_spend_limit`. No row: the group was deleted, or the name is taken. */
export const updateGroup = statement<
  {
    id: string;
    name: string | null;
    mirrored: boolean | null;
    sets_spend_limit: boolean;
    spend_limit_micros: number | null;
  },
  GroupRow
>(
  'update-group',
  `UPDATE groups
      SET name = coalesce(:name::text, name), mirrored = coalesce(:mirrored::boolean, mirrored),
          spend_limit_micros = CASE WHEN :sets_spend_limit::boolean THEN :spend_limit_micros::bigint ELSE spend_limit_micros END
    WHERE id = :id
      AND NOT EXISTS (SELECT FROM groups AS other WHERE other.name = :name AND other.id <> :id)
   RETURNING ${GROUP_COLUMNS}`,
);

/** Returns the members that it had. */
export const deleteGroup = statement<{ id: string }, { user_id: string }>(
  'delete-group',
  `WITH deleted AS (DELETE FROM groups WHERE id = :id)
   SELECT user_id FROM group_members WHERE group_id = :id`,
);

/** Objects that were restricted to the group stay restricted. */
export const removeGroupFromModelConfigs = statement<{ id: string }, never>(
  'remove-group-from-model-configs',
  `UPDATE model_configs SET group_ids = array_remove(group_ids, :id::uuid) WHERE :id::uuid = ANY(group_ids)`,
);
export const removeGroupFromMcpServers = statement<{ id: string }, never>(
  'remove-group-from-mcp-servers',
  `UPDATE mcp_servers SET group_ids = array_remove(group_ids, :id::uuid) WHERE :id::uuid = ANY(group_ids)`,
);

/** In the order of creation: ids grow with time. */
export const listGroupMembers = statement<
  { group_id: string; after_id: string | null; limit: number },
  { id: string; username: string }
>(
  'list-group-members',
  `SELECT users.id, users.username
     FROM group_members JOIN users ON users.id = group_members.user_id
    WHERE group_members.group_id = :group_id AND (:after_id::uuid IS NULL OR users.id > :after_id)
    ORDER BY users.id
    LIMIT :limit`,
);

/** The existing ones of these users. They cannot be deleted before the transaction ends. */
export const keepUsers = statement<{ ids: readonly string[] }, { id: string }>(
  'keep-users',
  `SELECT id FROM users WHERE id = ANY(:ids::uuid[]) ORDER BY id FOR KEY SHARE`,
);

/** Returns those that were not members. */
export const addGroupMembers = statement<
  { group_id: string; user_ids: readonly string[] },
  { user_id: string }
>(
  'add-group-members',
  `INSERT INTO group_members (group_id, user_id)
   SELECT :group_id, user_id FROM unnest(:user_ids::uuid[]) AS user_id
   ON CONFLICT DO NOTHING
   RETURNING user_id`,
);

/** Returns those that were members. */
export const removeGroupMembers = statement<
  { group_id: string; user_ids: readonly string[] },
  { user_id: string }
>(
  'remove-group-members',
  `DELETE FROM group_members WHERE group_id = :group_id AND user_id = ANY(:user_ids::uuid[]) RETURNING user_id`,
);

/** Mirrored groups with these names, unless groups with these names exist. In one order, so that sign-ins never deadlock. */
export const insertMirroredGroups = statement<
  { ids: readonly string[]; names: readonly string[] },
  { id: string; name: string }
>(
  'insert-mirrored-groups',
  `INSERT INTO groups (id, name, mirrored)
   SELECT id, name, true FROM unnest(:ids::uuid[], :names::text[]) AS claimed (id, name) ORDER BY name
   ON CONFLICT (name) DO NOTHING
   RETURNING id, name`,
);

/** Adds the user to the mirrored groups with these names. Returns the new memberships. */
export const joinMirroredGroups = statement<
  { user_id: string; names: readonly string[] },
  { group_id: string }
>(
  'join-mirrored-groups',
  `INSERT INTO group_members (group_id, user_id)
   SELECT id, :user_id::uuid FROM groups WHERE mirrored AND name = ANY(:names::text[]) ORDER BY id FOR KEY SHARE
   ON CONFLICT DO NOTHING
   RETURNING group_id`,
);

/** Removes the user from all other mirrored groups. Returns the former memberships. */
export const leaveMirroredGroups = statement<
  { user_id: string; names: readonly string[] },
  { group_id: string }
>(
  'leave-mirrored-groups',
  `DELETE FROM group_members USING groups
    WHERE group_members.user_id = :user_id AND groups.id = group_members.group_id
      AND groups.mirrored AND groups.name <> ALL(:names::text[])
   RETURNING group_members.group_id`,
);

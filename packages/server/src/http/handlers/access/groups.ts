import { actsAsAdmin } from '../../../auth/caller.ts';
import { GroupCommands } from '../../../entities/groups/commands.ts';
import { presentGroup, presentGroupToMember } from '../../../entities/groups/present.ts';
import { listGroupMembers, listGroups } from '../../../store/queries/groups.ts';
import type { HandlersOf } from '../../call.ts';
import { decodeCursor, IdCursor, page } from '../../request/cursor.ts';
import type { Services } from '../../services.ts';

export const groupHandlers = ({ accountChanges, providers }: Services): HandlersOf<'Groups'> => {
  const commands = new GroupCommands(accountChanges, providers);

  return {
    async listGroups({ caller, db }) {
      const isAdmin = actsAsAdmin(caller);
      const rows = await db.query(listGroups, { user_id: isAdmin ? null : caller.user.id });
      const shown = rows.map(isAdmin ? presentGroup : presentGroupToMember);
      return { status: 200, body: { groups: shown, next_cursor: null } };
    },

    createGroup: async ({ body, tx }) => ({
      status: 201,
      body: presentGroup(await commands.create(body, tx)),
    }),

    getGroup: async ({ found }) => ({ status: 200, body: presentGroup(found.group) }),

    updateGroup: async ({ found, body, tx }) => ({
      status: 200,
      body: presentGroup(await commands.update(found.group, body, tx)),
    }),

    async deleteGroup({ found, tx }) {
      await commands.delete(found.group, tx);
      return { status: 204 };
    },

    async listGroupMembers({ found, query, db }) {
      const { cursor, limit } = query;
      const rows = await db.query(listGroupMembers, {
        group_id: found.group.id,
        after_id: decodeCursor(IdCursor, cursor)?.id ?? null,
        limit: limit + 1,
      });
      const { rows: members, next_cursor } = page(rows, limit, ({ id }) => ({ id }));
      return { status: 200, body: { members, next_cursor } };
    },

    updateGroupMembers: async ({ found, body, tx }) => ({
      status: 200,
      body: presentGroup(await commands.updateMembers(found.group, body, tx)),
    }),
  };
};

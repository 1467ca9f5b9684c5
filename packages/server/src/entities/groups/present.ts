import type { Group } from '@chatd/protocol';
import type { GroupRow } from '../../store/groups.ts';

export const presentGroup = (row: GroupRow): Group => ({
  ...presentGroupToMember(row),
  mirrored: row.mirrored,
  members: row.members,
  spend_limit_micros: row.spend_limit_micros,
  created_at: row.created_at.toISOString(),
});

/** What it takes to name it. */
export const presentGroupToMember = ({ id, name }: GroupRow): Group => ({ id, name });

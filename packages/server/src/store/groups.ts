import { Refused } from '../chat/refused.ts';
import { keepGroups } from './queries/groups.ts';
import type { Queryable } from './statement.ts';

export interface GroupRow {
  readonly id: string;
  readonly name: string;
  /** The members follow the groups claim of the identity provider. */
  readonly mirrored: boolean;
  /** Of all members together. Null: no limit. */
  readonly spend_limit_micros: number | null;
  readonly members: number;
  readonly created_at: Date;
}

/** Refuses ids that name no group. Until the transaction ends, the groups cannot be deleted. */
export async function requireGroups(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const known = new Set((await tx.query(keepGroups, { ids })).map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) {
    throw new Refused('unknown_group', `Group ${unknown} does not exist.`);
  }
}

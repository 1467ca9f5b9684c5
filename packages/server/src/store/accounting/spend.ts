import {
  readCallPermissions,
  readDeploymentSpend,
  readGroupSpend,
  readSpend as readSpendRow,
  type SharedLimit,
  type SharedSpendRow,
  type SpendRow,
} from '../queries/model-calls.ts';
import { onlyRow, type Queryable } from '../statement.ts';

/** The spending of a user in the current month. */
export interface SpendState extends SpendRow {
  /** Null: no limit. */
  readonly left_micros: number | null;
}

export async function readSpend(db: Queryable, userId: string): Promise<SpendState> {
  const row = onlyRow(await db.query(readSpendRow, { user_id: userId }));
  const { limit_micros, spent_micros } = row;
  return { ...row, left_micros: limit_micros === null ? null : left(limit_micros, spent_micros) };
}

/** The limits of the user's groups and of the deployment, with what is spent of them. */
export async function readSharedLimits(
  db: Queryable,
  userId: string,
): Promise<readonly (SharedLimit & SharedSpendRow & { readonly left_micros: number })[]> {
  const [row] = await db.query(readCallPermissions, { user_id: userId });
  return await Promise.all(
    (row?.shared_limits ?? []).map(async (limit) => {
      const spend = await readSharedSpend(db, limit);
      return { ...limit, ...spend, left_micros: left(limit.limit_micros, spend.spent_micros) };
    }),
  );
}

export async function readSharedSpend(
  db: Queryable,
  { group_id }: Pick<SharedLimit, 'group_id'>,
): Promise<SharedSpendRow> {
  return onlyRow(
    group_id === null
      ? await db.query(readDeploymentSpend)
      : await db.query(readGroupSpend, { group_id }),
  );
}

const left = (limit: number, spent: number): number => Math.max(0, limit - spent);

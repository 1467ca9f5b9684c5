import { readSpend as readSpendRow, type SpendRow } from '../queries/model-calls.ts';
import { onlyRow, type Queryable } from '../statement.ts';

/** The spending of a user in the current month. */
export interface SpendState extends SpendRow {
  /** Null: no limit. */
  readonly left_micros: number | null;
}

export async function readSpend(db: Queryable, userId: string): Promise<SpendState> {
  const row = onlyRow(await db.query(readSpendRow, { user_id: userId }));
  const { limit_micros, spent_micros } = row;
  const left_micros = limit_micros === null ? null : Math.max(0, limit_micros - spent_micros);
  return { ...row, left_micros };
}

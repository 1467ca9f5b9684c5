import { statement } from '../statement.ts';

export interface SealedRow {
  readonly provider_id: string;
  /** Null: the provider's own. */
  readonly user_id: string | null;
  readonly secrets: string;
}

export const listSealed = statement<SealedRow>(
  'list-sealed',
  `SELECT id AS provider_id, NULL::uuid AS user_id, secrets FROM providers WHERE secrets IS NOT NULL
   UNION ALL
   SELECT provider_id, user_id, secrets FROM user_keys`,
);

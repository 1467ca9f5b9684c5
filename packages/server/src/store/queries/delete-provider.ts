import { statement } from '../statement.ts';

/** With its model configs, none of which may be in use. */
export const deleteProvider = statement<{ id: string }>(
  'delete-provider',
  `WITH configs AS (DELETE FROM model_configs WHERE provider_id = $1)
   DELETE FROM providers WHERE id = $1 RETURNING id`,
);

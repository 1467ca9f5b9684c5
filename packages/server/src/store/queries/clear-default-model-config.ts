import { statement } from '../statement.ts';

/** Before another one becomes the default, in the same transaction. */
export const clearDefaultModelConfig = statement<{ id: string }>(
  'clear-default-model-config',
  `UPDATE model_configs SET is_default = false WHERE is_default AND id <> $1 RETURNING id`,
);

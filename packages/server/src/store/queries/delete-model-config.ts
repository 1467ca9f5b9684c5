import { statement } from '../statement.ts';

export const deleteModelConfig = statement<{ id: string }>(
  'delete-model-config',
  `DELETE FROM model_configs WHERE id = $1 RETURNING id`,
);

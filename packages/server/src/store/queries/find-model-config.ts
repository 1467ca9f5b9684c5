import type { ModelConfigRow } from '../model-configs.ts';
import { statement } from '../statement.ts';
import { MODEL_CONFIG_COLUMNS } from './model-config-columns.ts';

export const findModelConfig = statement<ModelConfigRow>(
  'find-model-config',
  `SELECT ${MODEL_CONFIG_COLUMNS}
     FROM model_configs JOIN providers ON providers.id = model_configs.provider_id
    WHERE model_configs.id = $1`,
);

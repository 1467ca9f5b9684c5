import type { ModelConfigRow } from '../model-configs.ts';
import { statement } from '../statement.ts';
import { MODEL_CONFIG_COLUMNS } from './model-config-columns.ts';

export const listModelConfigs = statement<ModelConfigRow>(
  'list-model-configs',
  `SELECT ${MODEL_CONFIG_COLUMNS}
     FROM model_configs JOIN providers ON providers.id = model_configs.provider_id
    ORDER BY is_default DESC, display_name, model_configs.id`,
);

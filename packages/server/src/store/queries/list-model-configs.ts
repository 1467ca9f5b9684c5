import type { ModelConfigRow } from '../model-configs.ts';
import { statement } from '../statement.ts';

/** `usable`: the model and its provider are both enabled. */
export const listModelConfigs = statement<ModelConfigRow>(
  'list-model-configs',
  `SELECT model_configs.id, provider_id, model, display_name, context_limit, compaction_threshold,
          options, model_configs.enabled, is_default, model_configs.enabled AND providers.enabled AS usable
     FROM model_configs JOIN providers ON providers.id = model_configs.provider_id
    ORDER BY is_default DESC, display_name, model_configs.id`,
);

import { statement } from '../statement.ts';

/** The whole row, as it was worked out under the lock. */
export const updateModelConfig = statement<{ id: string }>(
  'update-model-config',
  `UPDATE model_configs
      SET provider_id = $2, model = $3, display_name = $4, context_limit = $5, compaction_threshold = $6,
          options = $7, enabled = $8, is_default = $9, title_model_config_id = $10,
          summary_model_config_id = $11
    WHERE id = $1
   RETURNING id`,
);

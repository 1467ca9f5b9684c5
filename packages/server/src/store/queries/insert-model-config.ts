import { statement } from '../statement.ts';

export const insertModelConfig = statement<{ id: string }>(
  'insert-model-config',
  `INSERT INTO model_configs
     (id, provider_id, model, display_name, context_limit, compaction_threshold, options, enabled,
      is_default, title_model_config_id, summary_model_config_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   RETURNING id`,
);

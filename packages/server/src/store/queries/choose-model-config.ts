import { statement } from '../statement.ts';

/** $1: the one that is asked for, if it can be used; null: the default, or else the oldest that can be used. */
export const CHOSEN_MODEL_CONFIG = `
   SELECT model_configs.id
     FROM model_configs JOIN providers ON providers.id = model_configs.provider_id
    WHERE model_configs.enabled AND providers.enabled
      AND ($1::uuid IS NULL OR model_configs.id = $1)
    ORDER BY is_default DESC, model_configs.created_at, model_configs.id
    LIMIT 1`;

export const chooseModelConfig = statement<{ id: string }>(
  'choose-model-config',
  CHOSEN_MODEL_CONFIG,
);

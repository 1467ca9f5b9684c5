/** `usable`: the model and its provider are both enabled. */
export const MODEL_CONFIG_COLUMNS = `model_configs.id, model_configs.provider_id, model_configs.model,
  model_configs.display_name, model_configs.context_limit, model_configs.compaction_threshold,
  model_configs.options, model_configs.enabled, model_configs.is_default,
  model_configs.title_model_config_id, model_configs.summary_model_config_id,
  model_configs.enabled AND providers.enabled AS usable`;

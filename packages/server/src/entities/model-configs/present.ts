import type { ModelConfig } from '@chatd/protocol';
import { ModelOptions } from '../../providers/model-options.ts';
import type { ModelConfigRow } from '../../store/model-configs.ts';

/** What an admin passes on to the provider is the admin's; all else may be shown to everybody. */
const SHOWN = ModelOptions.omit({ provider_options: true });

export function presentModelConfig(row: ModelConfigRow, forAdmin: boolean): ModelConfig {
  return {
    id: row.id,
    provider_id: row.provider_id,
    model: row.model,
    display_name: row.display_name,
    context_limit: row.context_limit,
    compaction_threshold: row.compaction_threshold,
    ...(forAdmin ? ModelOptions : SHOWN).parse(row.options),
    ...(forAdmin && {
      title_model_config_id: row.title_model_config_id,
      summary_model_config_id: row.summary_model_config_id,
      group_ids: row.group_ids === null ? null : [...row.group_ids],
    }),
    enabled: forAdmin ? row.enabled : row.usable,
    is_default: row.is_default,
  };
}

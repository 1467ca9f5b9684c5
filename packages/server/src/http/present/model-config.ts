import { ModelConfig } from '@chatd/protocol';
import type { ModelConfigRow } from '../../store/model-configs.ts';

/** What of the options may be shown to everybody; what an admin passes on to the provider is the admin's. */
const OPTIONS = ModelConfig.pick({
  max_output_tokens: true,
  temperature: true,
  top_p: true,
  top_k: true,
  reasoning_effort: true,
  price: true,
  web_search: true,
});
const ADMIN_OPTIONS = OPTIONS.extend(ModelConfig.pick({ provider_options: true }).shape);

export function presentModelConfig(row: ModelConfigRow, forAdmin: boolean): ModelConfig {
  return {
    id: row.id,
    provider_id: row.provider_id,
    model: row.model,
    display_name: row.display_name,
    context_limit: row.context_limit,
    compaction_threshold: row.compaction_threshold,
    ...(forAdmin ? ADMIN_OPTIONS : OPTIONS).parse(row.options),
    enabled: row.usable,
    is_default: row.is_default,
  };
}

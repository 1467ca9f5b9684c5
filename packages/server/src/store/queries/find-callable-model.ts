import type { JsonObject, ProviderType } from '@chatd/protocol';
import { statement } from '../statement.ts';

/** Everything that a call of a model depends on. */
export interface CallableModelRow {
  readonly id: string;
  readonly model: string;
  readonly display_name: string;
  readonly context_limit: number;
  readonly compaction_threshold: number;
  readonly options: JsonObject;
  readonly enabled: boolean;
  readonly title_model_config_id: string | null;
  readonly summary_model_config_id: string | null;
  readonly provider_id: string;
  readonly provider_type: ProviderType;
  readonly provider_name: string;
  readonly provider_enabled: boolean;
  readonly base_url: string | null;
  readonly provider_options: JsonObject;
  readonly from_environment: boolean;
  readonly allow_user_keys: boolean;
  /** Sealed. */
  readonly secrets: string | null;
  /** Sealed; of the user who asks. */
  readonly user_secrets: string | null;
}

export const findCallableModel = statement<CallableModelRow>(
  'find-callable-model',
  `SELECT model_configs.id, model_configs.model, model_configs.display_name,
          model_configs.context_limit, model_configs.compaction_threshold, model_configs.options,
          model_configs.enabled, model_configs.title_model_config_id,
          model_configs.summary_model_config_id, providers.id AS provider_id,
          providers.type AS provider_type, providers.name AS provider_name,
          providers.enabled AS provider_enabled, providers.base_url,
          providers.options AS provider_options, providers.from_environment,
          providers.allow_user_keys, providers.secrets, user_keys.secrets AS user_secrets
     FROM model_configs
     JOIN providers ON providers.id = model_configs.provider_id
     LEFT JOIN user_keys ON user_keys.provider_id = providers.id AND user_keys.user_id = $2
    WHERE model_configs.id = $1`,
);

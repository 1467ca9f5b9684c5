import type { JsonObject, ProviderType } from '@chatd/protocol';
import type { ModelConfigRow } from '../model-configs.ts';
import type { JsonText } from '../json.ts';
import { statement } from '../statement.ts';
import { usableBy } from './groups.ts';

const IS_ENABLED = 'model_configs.enabled AND providers.enabled';

const MODEL_CONFIG_COLUMNS = `model_configs.id, model_configs.provider_id, model_configs.model,
  model_configs.display_name, model_configs.context_limit, model_configs.compaction_threshold,
  model_configs.options, model_configs.enabled, model_configs.is_default,
  model_configs.title_model_config_id, model_configs.summary_model_config_id, model_configs.group_ids`;

export const findModelConfig = statement<{ id: string }, ModelConfigRow>(
  'find-model-config',
  `SELECT ${MODEL_CONFIG_COLUMNS}, ${IS_ENABLED} AS usable
     FROM model_configs JOIN providers ON providers.id = model_configs.provider_id
    WHERE model_configs.id = :id`,
);

/** `usable`: the user can use it. */
export const listModelConfigs = statement<{ user_id: string }, ModelConfigRow>(
  'list-model-configs',
  `SELECT ${MODEL_CONFIG_COLUMNS}, ${IS_ENABLED} AND ${usableBy('model_configs', ':user_id')} AS usable
     FROM model_configs JOIN providers ON providers.id = model_configs.provider_id
    ORDER BY is_default DESC, display_name, model_configs.id`,
);

export const defaultModelConfig = statement<null, { provider_id: string }>(
  'default-model-config',
  `SELECT provider_id FROM model_configs WHERE is_default`,
);

export interface ConfigOptions {
  readonly id: string;
  readonly display_name: string;
  readonly options: JsonObject;
}

export const configsOfProvider = statement<{ provider_id: string }, ConfigOptions>(
  'configs-of-provider',
  `SELECT id, display_name, options FROM model_configs WHERE provider_id = :provider_id ORDER BY id`,
);

/**
 * Of these model configs, those that a chat or a queued message uses. Reads all chats: an index would cost every chat
 * for a rare action of admins.
 */
export const configsInUse = statement<
  { ids: readonly string[] },
  { id: string; display_name: string }
>(
  'configs-in-use',
  `SELECT id, display_name
     FROM model_configs
    WHERE id = ANY(:ids::uuid[])
      AND (EXISTS (SELECT FROM chats WHERE chats.model_config_id = model_configs.id)
        OR EXISTS (SELECT FROM queued_messages WHERE queued_messages.model_config_id = model_configs.id))
    ORDER BY display_name, id`,
);

/** The requested model if the owner can use it. Null :model_config_id: the default, else the oldest usable model. */
export const CHOSEN_MODEL_CONFIG = `
   SELECT model_configs.id
     FROM model_configs JOIN providers ON providers.id = model_configs.provider_id
    WHERE ${IS_ENABLED} AND ${usableBy('model_configs', ':owner_id')}
      AND (:model_config_id::uuid IS NULL OR model_configs.id = :model_config_id)
    ORDER BY is_default DESC, model_configs.created_at, model_configs.id
    LIMIT 1`;

export const chooseModelConfig = statement<
  { model_config_id: string | null; owner_id: string },
  { id: string }
>('choose-model-config', CHOSEN_MODEL_CONFIG);

/** Everything that a model call needs. */
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
  /** The sealed key of the user. */
  readonly user_secrets: string | null;
  /** False: the model is restricted to groups of other users. */
  readonly permitted: boolean;
}

export const findCallableModel = statement<{ id: string; user_id: string }, CallableModelRow>(
  'find-callable-model',
  `SELECT model_configs.id, model_configs.model, model_configs.display_name,
          model_configs.context_limit, model_configs.compaction_threshold, model_configs.options,
          model_configs.enabled, model_configs.title_model_config_id,
          model_configs.summary_model_config_id, providers.id AS provider_id,
          providers.type AS provider_type, providers.name AS provider_name,
          providers.enabled AS provider_enabled, providers.base_url,
          providers.options AS provider_options, providers.from_environment,
          providers.allow_user_keys, providers.secrets, user_keys.secrets AS user_secrets,
          ${usableBy('model_configs', ':user_id')} AS permitted
     FROM model_configs
     JOIN providers ON providers.id = model_configs.provider_id
     LEFT JOIN user_keys ON user_keys.provider_id = providers.id AND user_keys.user_id = :user_id
    WHERE model_configs.id = :id`,
);

/** Serializes changes, so that exactly one config is the default. Does not block reads or new chats. */
export const lockModelConfigs = statement<null, never>(
  'lock-model-configs',
  `LOCK TABLE model_configs IN SHARE ROW EXCLUSIVE MODE`,
);

interface ModelConfigParams extends Omit<ModelConfigRow, 'options' | 'usable'> {
  options: JsonText;
}

export const insertModelConfig = statement<ModelConfigParams, { id: string }>(
  'insert-model-config',
  `INSERT INTO model_configs
     (id, provider_id, model, display_name, context_limit, compaction_threshold, options, enabled,
      is_default, title_model_config_id, summary_model_config_id, group_ids)
   VALUES (:id, :provider_id, :model, :display_name, :context_limit, :compaction_threshold, :options, :enabled, :is_default, :title_model_config_id, :summary_model_config_id, :group_ids)
   RETURNING id`,
);

export const updateModelConfig = statement<ModelConfigParams, { id: string }>(
  'update-model-config',
  `UPDATE model_configs
      SET provider_id = :provider_id, model = :model, display_name = :display_name, context_limit = :context_limit, compaction_threshold = :compaction_threshold,
          options = :options, enabled = :enabled, is_default = :is_default, title_model_config_id = :title_model_config_id,
          summary_model_config_id = :summary_model_config_id, group_ids = :group_ids
    WHERE id = :id
   RETURNING id`,
);

/** Before another config becomes the default, in the same transaction. */
export const clearDefaultModelConfig = statement<{ id: string }, { id: string }>(
  'clear-default-model-config',
  `UPDATE model_configs SET is_default = false WHERE is_default AND id <> :id RETURNING id`,
);

/** After the default is deleted, the config that new chats get becomes the default. */
export const passOnDefault = statement<null, { id: string }>(
  'pass-on-default',
  `UPDATE model_configs
      SET is_default = true
    WHERE NOT EXISTS (SELECT FROM model_configs WHERE is_default)
      AND id = (SELECT model_configs.id
                  FROM model_configs JOIN providers ON providers.id = model_configs.provider_id
                 ORDER BY (model_configs.enabled AND providers.enabled) DESC,
                          model_configs.created_at, model_configs.id
                 LIMIT 1)
   RETURNING id`,
);

export const deleteModelConfig = statement<{ id: string }, { id: string }>(
  'delete-model-config',
  `DELETE FROM model_configs WHERE id = :id RETURNING id`,
);

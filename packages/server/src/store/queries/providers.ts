import type { ListedProvider, ProviderRow } from '../providers.ts';
import type { JsonText } from '../json.ts';
import { statement } from '../statement.ts';

const PROVIDER_COLUMNS = `providers.id, providers.type, providers.name, providers.enabled,
  providers.base_url, providers.options, providers.secrets, providers.from_environment,
  providers.allow_user_keys, providers.created_at`;

export const findProvider = statement<{ id: string; user_id: string }, ListedProvider>(
  'find-provider',
  `SELECT ${PROVIDER_COLUMNS}, user_keys.user_id IS NOT NULL AS has_own_key
     FROM providers
     LEFT JOIN user_keys ON user_keys.provider_id = providers.id AND user_keys.user_id = :user_id
    WHERE providers.id = :id`,
);

/** Locks the provider for a change. New model configs of it wait. */
export const lockProvider = statement<{ id: string }, ProviderRow>(
  'lock-provider',
  `SELECT ${PROVIDER_COLUMNS} FROM providers WHERE id = :id FOR UPDATE`,
);

export const listProviders = statement<{ user_id: string }, ListedProvider>(
  'list-providers',
  `SELECT ${PROVIDER_COLUMNS}, user_keys.user_id IS NOT NULL AS has_own_key
     FROM providers
     LEFT JOIN user_keys ON user_keys.provider_id = providers.id AND user_keys.user_id = :user_id
    ORDER BY providers.created_at, providers.id`,
);

interface ProviderParams extends Omit<ProviderRow, 'options' | 'created_at'> {
  options: JsonText;
}

export const insertProvider = statement<ProviderParams, ProviderRow>(
  'insert-provider',
  `INSERT INTO providers
     (id, type, name, enabled, base_url, options, secrets, from_environment, allow_user_keys)
   VALUES (:id, :type, :name, :enabled, :base_url, :options, :secrets, :from_environment, :allow_user_keys)
   RETURNING ${PROVIDER_COLUMNS}`,
);

/** No row: created before, possibly by another replica. */
export const claimEnvironmentProvider = statement<{ type: string }, { type: string }>(
  'claim-environment-provider',
  `INSERT INTO environment_providers (type) VALUES (:type) ON CONFLICT DO NOTHING RETURNING type`,
);

export const updateProvider = statement<Omit<ProviderParams, 'type'>, ProviderRow>(
  'update-provider',
  `UPDATE providers
      SET name = :name, enabled = :enabled, base_url = :base_url, options = :options, secrets = :secrets,
          from_environment = :from_environment, allow_user_keys = :allow_user_keys
    WHERE id = :id
   RETURNING ${PROVIDER_COLUMNS}`,
);

/** Deletes the provider with its model configs, none of which may be in use. */
export const deleteProvider = statement<{ provider_id: string }, { id: string }>(
  'delete-provider',
  `WITH configs AS (DELETE FROM model_configs WHERE provider_id = :provider_id)
   DELETE FROM providers WHERE id = :provider_id RETURNING id`,
);

/** Unless the key was changed meanwhile. */
export const resealProvider = statement<
  { id: string; before: string; after: string },
  { id: string }
>(
  'reseal-provider',
  `UPDATE providers SET secrets = :after WHERE id = :id AND secrets = :before RETURNING id`,
);

export interface SealedRow {
  readonly provider_id: string;
  /** Null: the key of the provider. */
  readonly user_id: string | null;
  readonly secrets: string;
}

export const listSealed = statement<null, SealedRow>(
  'list-sealed',
  `SELECT id AS provider_id, NULL::uuid AS user_id, secrets FROM providers WHERE secrets IS NOT NULL
   UNION ALL
   SELECT provider_id, user_id, secrets FROM user_keys`,
);

import type { ListedProvider, ProviderRow } from '../providers.ts';
import { statement } from '../statement.ts';

export const PROVIDER_COLUMNS = `providers.id, providers.type, providers.name, providers.enabled,
  providers.base_url, providers.options, providers.secrets, providers.from_environment,
  providers.allow_user_keys, providers.created_at`;

export const findProvider = statement<ListedProvider>(
  'find-provider',
  `SELECT ${PROVIDER_COLUMNS}, user_keys.user_id IS NOT NULL AS has_own_key
     FROM providers
     LEFT JOIN user_keys ON user_keys.provider_id = providers.id AND user_keys.user_id = $2
    WHERE providers.id = $1`,
);

/** For a change that depends on what there is. New model configs of it wait. */
export const lockProvider = statement<ProviderRow>(
  'lock-provider',
  `SELECT ${PROVIDER_COLUMNS} FROM providers WHERE id = $1 FOR UPDATE`,
);

export const listProviders = statement<ListedProvider>(
  'list-providers',
  `SELECT ${PROVIDER_COLUMNS}, user_keys.user_id IS NOT NULL AS has_own_key
     FROM providers
     LEFT JOIN user_keys ON user_keys.provider_id = providers.id AND user_keys.user_id = $1
    ORDER BY providers.created_at, providers.id`,
);

export const insertProvider = statement<ProviderRow>(
  'insert-provider',
  `INSERT INTO providers
     (id, type, name, enabled, base_url, options, secrets, from_environment, allow_user_keys)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   RETURNING ${PROVIDER_COLUMNS}`,
);

/** No row: it was made before, perhaps by another replica a moment ago. */
export const claimEnvironmentProvider = statement<{ type: string }>(
  'claim-environment-provider',
  `INSERT INTO environment_providers (type) VALUES ($1) ON CONFLICT DO NOTHING RETURNING type`,
);

/** The whole row, as it was worked out under its lock. */
export const updateProvider = statement<ProviderRow>(
  'update-provider',
  `UPDATE providers
      SET name = $2, enabled = $3, base_url = $4, options = $5, secrets = $6,
          from_environment = $7, allow_user_keys = $8
    WHERE id = $1
   RETURNING ${PROVIDER_COLUMNS}`,
);

/** With its model configs, none of which may be in use. */
export const deleteProvider = statement<{ id: string }>(
  'delete-provider',
  `WITH configs AS (DELETE FROM model_configs WHERE provider_id = $1)
   DELETE FROM providers WHERE id = $1 RETURNING id`,
);

/** Unless somebody stored another key meanwhile. */
export const resealProvider = statement<{ id: string }>(
  'reseal-provider',
  `UPDATE providers SET secrets = $3 WHERE id = $1 AND secrets = $2 RETURNING id`,
);

export interface SealedRow {
  readonly provider_id: string;
  /** Null: the provider's own. */
  readonly user_id: string | null;
  readonly secrets: string;
}

export const listSealed = statement<SealedRow>(
  'list-sealed',
  `SELECT id AS provider_id, NULL::uuid AS user_id, secrets FROM providers WHERE secrets IS NOT NULL
   UNION ALL
   SELECT provider_id, user_id, secrets FROM user_keys`,
);

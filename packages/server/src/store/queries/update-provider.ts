import type { ProviderRow } from '../providers.ts';
import { statement } from '../statement.ts';
import { PROVIDER_COLUMNS } from './provider-columns.ts';

/** The whole row, as it was worked out under its lock. */
export const updateProvider = statement<ProviderRow>(
  'update-provider',
  `UPDATE providers
      SET name = $2, enabled = $3, base_url = $4, options = $5, secrets = $6,
          from_environment = $7, allow_user_keys = $8
    WHERE id = $1
   RETURNING ${PROVIDER_COLUMNS}`,
);

import type { ProviderRow } from '../providers.ts';
import { statement } from '../statement.ts';
import { PROVIDER_COLUMNS } from './provider-columns.ts';

export const insertProvider = statement<ProviderRow>(
  'insert-provider',
  `INSERT INTO providers
     (id, type, name, enabled, base_url, options, secrets, from_environment, allow_user_keys)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   RETURNING ${PROVIDER_COLUMNS}`,
);

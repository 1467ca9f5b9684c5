import type { ListedProvider } from '../providers.ts';
import { statement } from '../statement.ts';
import { PROVIDER_COLUMNS } from './provider-columns.ts';

export const listProviders = statement<ListedProvider>(
  'list-providers',
  `SELECT ${PROVIDER_COLUMNS}, user_keys.user_id IS NOT NULL AS has_own_key
     FROM providers
     LEFT JOIN user_keys ON user_keys.provider_id = providers.id AND user_keys.user_id = $1
    ORDER BY providers.created_at, providers.id`,
);

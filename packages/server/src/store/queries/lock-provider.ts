import type { ProviderRow } from '../providers.ts';
import { statement } from '../statement.ts';
import { PROVIDER_COLUMNS } from './provider-columns.ts';

/** For a change that depends on what there is. New model configs of it wait. */
export const lockProvider = statement<ProviderRow>(
  'lock-provider',
  `SELECT ${PROVIDER_COLUMNS} FROM providers WHERE id = $1 FOR UPDATE`,
);

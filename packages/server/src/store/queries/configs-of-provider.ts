import { statement } from '../statement.ts';

export const configsOfProvider = statement<{ id: string; is_default: boolean }>(
  'configs-of-provider',
  `SELECT id, is_default FROM model_configs WHERE provider_id = $1 ORDER BY id`,
);

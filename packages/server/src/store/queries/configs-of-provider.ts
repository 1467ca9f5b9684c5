import type { JsonObject } from '@chatd/protocol';
import { statement } from '../statement.ts';

export interface ConfigOptions {
  readonly id: string;
  readonly display_name: string;
  readonly options: JsonObject;
}

export const configsOfProvider = statement<ConfigOptions>(
  'configs-of-provider',
  `SELECT id, display_name, options FROM model_configs WHERE provider_id = $1 ORDER BY id`,
);

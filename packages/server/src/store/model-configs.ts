import type { JsonObject } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import { chooseModelConfig } from './queries/model-configs.ts';
import type { Queryable } from './statement.ts';

export interface ModelConfigRow {
  readonly id: string;
  readonly provider_id: string;
  readonly model: string;
  readonly display_name: string;
  readonly context_limit: number;
  readonly compaction_threshold: number;
  readonly options: JsonObject;
  readonly enabled: boolean;
  readonly is_default: boolean;
  readonly title_model_config_id: string | null;
  readonly summary_model_config_id: string | null;
  /** The groups whose members can use it. Null: all users. */
  readonly group_ids: readonly string[] | null;
  readonly usable: boolean;
}

export function noModel(requested: string | null): Refused {
  if (requested !== null) return unknownModelConfig(requested);
  return new Refused(
    'no_model_configured',
    'No model is available to you: all are disabled, or restricted to groups. Ask an admin.',
  );
}

/** For a chat or project of this owner. Null: no model is requested. */
export async function requestedModel(
  db: Queryable,
  requested: string | undefined,
  owner_id: string,
): Promise<string | null> {
  if (requested === undefined) return null;
  const [config] = await db.query(chooseModelConfig, { model_config_id: requested, owner_id });
  if (config === undefined) throw noModel(requested);
  return config.id;
}

const unknownModelConfig = (id: string) =>
  new Refused('unknown_model_config', `Model config ${id} does not exist or is disabled.`);

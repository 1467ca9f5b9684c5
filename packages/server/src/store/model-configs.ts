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
  readonly usable: boolean;
}

/** For a new chat: the requested model, or the default. */
async function modelForNewChat(db: Queryable, requested: string | undefined): Promise<string> {
  const [config] = await db.query(chooseModelConfig, { model_config_id: requested ?? null });
  if (config === undefined) throw noModel(requested ?? null);
  return config.id;
}

export function noModel(requested: string | null): Refused {
  if (requested !== null) return unknownModelConfig(requested);
  return new Refused(
    'no_model_configured',
    'All models are disabled. An admin must enable one first.',
  );
}

/** For an existing chat. Null: no model is requested. */
export async function requestedModel(
  db: Queryable,
  requested: string | undefined,
): Promise<string | null> {
  return requested === undefined ? null : await modelForNewChat(db, requested);
}

const unknownModelConfig = (id: string) =>
  new Refused('unknown_model_config', `Model config ${id} does not exist or is disabled.`);

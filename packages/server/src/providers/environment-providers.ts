import type { ProviderType } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import { toJson } from '../store/json.ts';
import { DEMO_PROVIDER } from '../store/providers.ts';
import { claimEnvironmentProvider, insertProvider } from '../store/queries/providers.ts';
import {
  clearDefaultModelConfig,
  insertModelConfig,
  listModelConfigs,
  lockModelConfigs,
} from '../store/queries/model-configs.ts';
import type { Transaction } from '../store/transaction.ts';
import { uuidv7 } from '../store/uuid.ts';
import { KINDS } from './kinds/index.ts';
import type { Environment, FromEnvironment } from './kinds/kind.ts';
import { mergedOptions } from './model-options.ts';
import { newModelConfig } from './new-model-config.ts';

/** The first one with a model is the default. Bedrock comes last, since credentials of AWS may be there for anything. */
const ORDER: readonly ProviderType[] = [
  'anthropic',
  'openai',
  'google',
  'openrouter',
  'vercel',
  'azure',
  'bedrock',
];

/**
 * Keys in the environment make a provider and a model, once each: an admin who deletes one does not get it back. The
 * key itself stays in the environment, where its owner changes it. The first becomes the default of new chats as
 * long as that is the demo.
 */
export async function seedFromEnvironment(options: {
  readonly database: Database;
  readonly env: Environment;
  readonly log: Logger;
}): Promise<void> {
  const { database, env, log } = options;
  for (const type of ORDER) {
    const found = KINDS[type].environment(env);
    if (found === undefined || !optionsAreValid(type, found)) continue;
    const made = await database.transaction((tx) => seed(tx, type, found));
    if (made) log.info({ provider: type }, 'a provider was made from a key in the environment');
  }
}

const optionsAreValid = (type: ProviderType, { options }: FromEnvironment) =>
  KINDS[type].options.safeParse(options ?? {}).success;

async function seed(tx: Transaction, type: ProviderType, found: FromEnvironment): Promise<boolean> {
  const [claimed] = await tx.query(claimEnvironmentProvider, { type });
  if (claimed === undefined) return false;
  const id = uuidv7();
  const { base_url = null, options = {}, model } = found;
  const { label } = KINDS[type];
  await tx.query(insertProvider, {
    id,
    type,
    name: label,
    enabled: true,
    base_url,
    options: toJson(options),
    secrets: null,
    from_environment: true,
    allow_user_keys: false,
  });
  if (model !== undefined) await seedModel(tx, { id, type }, model);
  return true;
}

async function seedModel(
  tx: Transaction,
  provider: { readonly id: string; readonly type: ProviderType },
  model: string,
): Promise<void> {
  await tx.query(lockModelConfigs);
  const [first] = await tx.query(listModelConfigs);
  const isDefault = first === undefined || !first.is_default || first.provider_id === DEMO_PROVIDER;
  const config = newModelConfig(provider.type, { model });
  const id = uuidv7();
  if (isDefault) await tx.query(clearDefaultModelConfig, { id });
  const { display_name, context_limit, compaction_threshold, options } = config;
  await tx.query(insertModelConfig, {
    id,
    provider_id: provider.id,
    model,
    display_name,
    context_limit: context_limit ?? FALLBACK_CONTEXT_LIMIT,
    compaction_threshold,
    options: toJson(mergedOptions({}, options)),
    enabled: true,
    is_default: isDefault,
    title_model_config_id: null,
    summary_model_config_id: null,
  });
}

/** For a model of ours that the catalogue does not know; no well-known one has less. */
const FALLBACK_CONTEXT_LIMIT = 128_000;

import type { ProviderType } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import { toJson } from '../store/json.ts';
import { DEMO_PROVIDER } from '../store/providers.ts';
import { claimEnvironmentProvider, insertProvider } from '../store/queries/providers.ts';
import {
  clearDefaultModelConfig,
  defaultModelConfig,
  insertModelConfig,
  lockModelConfigs,
} from '../store/queries/model-configs.ts';
import type { Transaction } from '../store/transaction.ts';
import { uuidv7 } from '../store/uuid.ts';
import { suggestedEffort } from './catalog/index.ts';
import { KINDS } from './kinds/index.ts';
import type { Environment, FromEnvironment } from './kinds/kind.ts';
import { mergedOptions } from './model-options.ts';
import { newModelConfig } from './new-model-config.ts';

/**
 * The first provider with a model becomes the default. Bedrock is last, because AWS credentials may exist for other
 * reasons.
 */
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
 * Creates a provider and a model for each key in the environment, once: they do not reappear after an admin deletes
 * them. The key stays in the environment. The first becomes the default for new chats if that is still the demo model.
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
    if (made) log.info({ provider: type }, 'provider created from a key in the environment');
  }
}

const optionsAreValid = (type: ProviderType, { options }: FromEnvironment) =>
  KINDS[type].options.safeParse(options ?? {}).success;

async function seed(tx: Transaction, type: ProviderType, found: FromEnvironment): Promise<boolean> {
  const [claimed] = await tx.query(claimEnvironmentProvider, { type });
  if (claimed === undefined) return false;
  const id = uuidv7();
  const { base_url = null, options = {} } = found;
  const { label, suggested } = KINDS[type];
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
  if (suggested !== undefined) await seedModel(tx, { id, type }, suggested);
  return true;
}

async function seedModel(
  tx: Transaction,
  provider: { readonly id: string; readonly type: ProviderType },
  model: string,
): Promise<void> {
  await tx.query(lockModelConfigs);
  const [current] = await tx.query(defaultModelConfig);
  const isDefault = current === undefined || current.provider_id === DEMO_PROVIDER;
  const config = newModelConfig(provider.type, { model, ...suggestedEffort(provider.type, model) });
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
    group_ids: null,
  });
}

/** For models that are not in the catalog. No well-known model has less. */
const FALLBACK_CONTEXT_LIMIT = 128_000;

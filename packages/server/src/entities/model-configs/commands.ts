import type { Routes } from '@chatd/protocol';
import type { z } from 'zod';
import { foundRow, notFound, Refused, refusedField, refusedFields } from '../../chat/refused.ts';
import { modelOptionErrors } from '../../providers/check-model-options.ts';
import { mergedOptions, ModelOptions } from '../../providers/model-options.ts';
import { newModelConfig } from '../../providers/new-model-config.ts';
import type { Providers } from '../../providers/providers.ts';
import { isForeignKeyViolation } from '../../store/constraint.ts';
import { toJson } from '../../store/json.ts';
import { requireGroups } from '../../store/groups.ts';
import type { ModelConfigRow } from '../../store/model-configs.ts';
import type { ProviderRow } from '../../store/providers.ts';
import {
  clearDefaultModelConfig,
  configsInUse,
  deleteModelConfig,
  findModelConfig,
  insertModelConfig,
  lockModelConfigs,
  passOnDefault,
  updateModelConfig,
} from '../../store/queries/model-configs.ts';
import { findProvider } from '../../store/queries/providers.ts';
import type { Queryable } from '../../store/statement.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';
import { requireModelConfig } from './queries.ts';

type NewModelConfig = z.output<Routes['createModelConfig']['body']>;
type ModelConfigChange = z.output<Routes['updateModelConfig']['body']>;
type PlannedModelConfig = Omit<ModelConfigRow, 'usable' | 'options'> & {
  readonly options: ModelOptions;
};

/** Changes model configs, one at a time: exactly one is the default. */
export class ModelConfigCommands {
  readonly #providers: Pick<Providers, 'changed'>;

  constructor(providers: Pick<Providers, 'changed'>) {
    this.#providers = providers;
  }

  async create(given: NewModelConfig, userId: string, tx: Transaction): Promise<ModelConfigRow> {
    await this.#lock(tx);
    const provider = await providerOf(tx, given.provider_id, userId);
    const planned = planNewModelConfig(provider, given);
    await requireGroups(tx, planned.group_ids ?? []);
    await check(tx, planned, provider);
    return await write(tx, planned, insertModelConfig);
  }

  async update(
    id: string,
    change: ModelConfigChange,
    userId: string,
    tx: Transaction,
  ): Promise<ModelConfigRow> {
    await this.#lock(tx);
    const planned = planModelConfig(await requireModelConfig(tx, id), change);
    await requireGroups(tx, change.group_ids ?? []);
    await check(tx, planned, await providerOf(tx, planned.provider_id, userId));
    return await write(tx, planned, updateModelConfig);
  }

  async delete(id: string, tx: Transaction): Promise<void> {
    await this.#lock(tx);
    const used = await tx.query(configsInUse, { ids: [id] });
    if (used.length > 0) throw inUse();
    const [deleted] = await tx.query(deleteModelConfig, { id }).catch((error: unknown) => {
      // A chat was created after the check.
      throw isForeignKeyViolation(error) ? inUse() : error;
    });
    if (deleted === undefined) throw notFound();
    await tx.query(passOnDefault);
  }

  async #lock(tx: Transaction): Promise<void> {
    await tx.query(lockModelConfigs);
    tx.afterCommit(() => this.#providers.changed());
  }
}

async function write(
  tx: Transaction,
  planned: PlannedModelConfig,
  statement: typeof insertModelConfig,
): Promise<ModelConfigRow> {
  const { id } = planned;
  if (planned.is_default) await tx.query(clearDefaultModelConfig, { id });
  await tx.query(statement, columnsOf(planned));
  return foundRow(await tx.query(findModelConfig, { id }));
}

const columnsOf = (planned: PlannedModelConfig) => ({
  ...planned,
  options: toJson(planned.options),
  title_model_config_id: otherThan(planned.id, planned.title_model_config_id),
  summary_model_config_id: otherThan(planned.id, planned.summary_model_config_id),
});

/** A config that names itself names none. */
const otherThan = (id: string, named: string | null) => (named === id ? null : named);

function planNewModelConfig(provider: ProviderRow, given: NewModelConfig): PlannedModelConfig {
  const { group_ids = null, ...named } = given;
  const { context_limit, options, ...known } = newModelConfig(provider.type, named);
  if (context_limit === undefined) {
    throw refusedField(
      'context_limit',
      'is required, because the model catalog does not list this model',
    );
  }
  return {
    id: uuidv7(),
    provider_id: provider.id,
    model: given.model,
    ...known,
    context_limit,
    options: mergedOptions({}, options),
    enabled: given.enabled,
    is_default: given.is_default,
    title_model_config_id: given.title_model_config_id ?? null,
    summary_model_config_id: given.summary_model_config_id ?? null,
    group_ids,
  };
}

function planModelConfig(before: ModelConfigRow, change: ModelConfigChange): PlannedModelConfig {
  if (before.is_default && change.is_default === false) {
    throw refusedField('is_default', 'cannot be unset. Make another model the default instead');
  }
  const { title_model_config_id: title, summary_model_config_id: summary } = change;
  return {
    id: before.id,
    provider_id: change.provider_id ?? before.provider_id,
    model: change.model ?? before.model,
    display_name: change.display_name ?? before.display_name,
    context_limit: change.context_limit ?? before.context_limit,
    compaction_threshold: change.compaction_threshold ?? before.compaction_threshold,
    options: mergedOptions(ModelOptions.parse(before.options), change),
    enabled: change.enabled ?? before.enabled,
    is_default: change.is_default ?? before.is_default,
    title_model_config_id: title === undefined ? before.title_model_config_id : title,
    summary_model_config_id: summary === undefined ? before.summary_model_config_id : summary,
    group_ids: change.group_ids === undefined ? before.group_ids : change.group_ids,
  };
}

/** The provider must support the options, and the named model configs must exist. */
async function check(
  db: Queryable,
  planned: PlannedModelConfig,
  { type, options }: ProviderRow,
): Promise<void> {
  const errors = modelOptionErrors({ type, options }, planned.options);
  if (errors.length > 0) throw refusedFields(errors);
  for (const field of ['title_model_config_id', 'summary_model_config_id'] as const) {
    const id = planned[field];
    if (id === null || id === planned.id) continue;
    const [other] = await db.query(findModelConfig, { id });
    if (other !== undefined) continue;
    throw refusedField(field, 'does not name an existing model config', 'unknown_model_config');
  }
}

async function providerOf(db: Queryable, id: string, userId: string): Promise<ProviderRow> {
  const [provider] = await db.query(findProvider, { id, user_id: userId });
  if (provider !== undefined) return provider;
  throw new Refused('unknown_provider', `Provider ${id} does not exist.`);
}

const inUse = () =>
  new Refused(
    'model_config_in_use',
    'Chats use this model. Disable it, or choose another model for those chats first.',
  );

import type { Routes } from '@chatd/protocol';
import type { z } from 'zod';
import { actsAsAdmin } from '../../auth/caller.ts';
import { CATALOGUE_DATE } from '../../providers/catalog/index.ts';
import { modelOptionErrors } from '../../providers/check-model-options.ts';
import { mergedOptions, ModelOptions } from '../../providers/model-options.ts';
import { testModel } from '../../providers/model-test.ts';
import { newModelConfig } from '../../providers/new-model-config.ts';
import { isForeignKeyViolation } from '../../store/constraint.ts';
import { toJson } from '../../store/json.ts';
import type { ModelConfigRow } from '../../store/model-configs.ts';
import type { ProviderRow } from '../../store/providers.ts';
import {
  clearDefaultModelConfig,
  configsInUse,
  deleteModelConfig,
  findModelConfig,
  insertModelConfig,
  listModelConfigs,
  lockModelConfigs,
  passOnDefault,
  updateModelConfig,
} from '../../store/queries/model-configs.ts';
import { findProvider, listProviders } from '../../store/queries/providers.ts';
import { onlyRow, type Queryable } from '../../store/statement.ts';
import { uuidv7 } from '../../store/uuid.ts';
import { afterCommit } from '../after-commit.ts';
import type { HandlersOf } from '../call.ts';
import { refusedFields, notFound, Refused } from '../../chat/refused.ts';
import { presentModelConfig } from '../../present/model-config.ts';
import type { Services } from '../services.ts';
import { withinTransaction } from '../within-transaction.ts';

type Change = z.output<Routes['updateModelConfig']['body']>;
type Draft = Omit<ModelConfigRow, 'usable' | 'options'> & { readonly options: ModelOptions };

export const modelConfigHandlers = ({ store, providers }: Services): HandlersOf<'Models'> => ({
  async listModelConfigs({ caller, db }) {
    const forAdmin = actsAsAdmin(caller);
    const rows = await db.query(listModelConfigs);
    const shown = forAdmin ? rows : rows.filter(({ usable }) => usable);
    return {
      status: 200,
      body: {
        model_configs: shown.map((row) => presentModelConfig(row, forAdmin)),
        next_cursor: null,
      },
    };
  },

  async createModelConfig({ body, caller, tx }) {
    const row = await withinTransaction(store.database, tx, async (within) => {
      await within.query(lockModelConfigs);
      const provider = await providerOf(within, body.provider_id, caller.user.id);
      const { context_limit, options, ...known } = newModelConfig(provider.type, body);
      if (context_limit === undefined) {
        const message = 'is needed, since this model is not in the catalogue of known models';
        throw refusedFields([{ path: 'context_limit', message }]);
      }
      const draft: Draft = {
        id: uuidv7(),
        provider_id: provider.id,
        model: body.model,
        ...known,
        context_limit,
        options: mergedOptions({}, options),
        enabled: body.enabled,
        is_default: body.is_default,
        title_model_config_id: body.title_model_config_id ?? null,
        summary_model_config_id: body.summary_model_config_id ?? null,
      };
      await check(within, draft, provider);
      if (draft.is_default) await within.query(clearDefaultModelConfig, { id: draft.id });
      await within.query(insertModelConfig, columnsOf(draft));
      return onlyRow(await within.query(findModelConfig, { id: draft.id }));
    });
    afterCommit(tx, () => providers.changed());
    return { status: 201, body: presentModelConfig(row, true) };
  },

  async getModelConfig({ params, db }) {
    const [row] = await db.query(findModelConfig, { id: params.model_config_id });
    if (row === undefined) throw notFound();
    return { status: 200, body: presentModelConfig(row, true) };
  },

  async updateModelConfig({ params, body, caller, tx }) {
    const row = await withinTransaction(store.database, tx, async (within) => {
      await within.query(lockModelConfigs);
      const [before] = await within.query(findModelConfig, { id: params.model_config_id });
      if (before === undefined) throw notFound();
      const draft = drafted(before, body);
      const provider = await providerOf(within, draft.provider_id, caller.user.id);
      await check(within, draft, provider);
      if (draft.is_default) await within.query(clearDefaultModelConfig, { id: draft.id });
      await within.query(updateModelConfig, columnsOf(draft));
      return onlyRow(await within.query(findModelConfig, { id: draft.id }));
    });
    afterCommit(tx, () => providers.changed());
    return { status: 200, body: presentModelConfig(row, true) };
  },

  async deleteModelConfig({ params, tx }) {
    const { model_config_id: id } = params;
    await withinTransaction(store.database, tx, async (within) => {
      await within.query(lockModelConfigs);
      const used = await within.query(configsInUse, { ids: [id] });
      if (used.length > 0) throw inUse();
      const [gone] = await within.query(deleteModelConfig, { id }).catch((error: unknown) => {
        // A chat came between the look and the deletion.
        throw isForeignKeyViolation(error) ? inUse() : error;
      });
      if (gone === undefined) throw notFound();
      await within.query(passOnDefault);
    });
    afterCommit(tx, () => providers.changed());
    return { status: 204 };
  },

  async testModelConfig({ params, caller, db }) {
    const [row] = await db.query(findModelConfig, { id: params.model_config_id });
    if (row === undefined) throw notFound();
    const [provider] = await db.query(findProvider, {
      id: row.provider_id,
      user_id: caller.user.id,
    });
    if (provider === undefined) throw notFound();
    const { clock, secrets, models } = providers;
    const find = () => models.forChat(row.id, caller.user.id);
    return { status: 200, body: await testModel(find, { provider, clock, secrets }) };
  },

  async listModels({ query, caller, db }) {
    const [rows, configs] = await Promise.all([
      db.query(listProviders, { user_id: caller.user.id }),
      db.query(listModelConfigs),
    ]);
    const configured = (id: string) =>
      new Set(configs.filter(({ provider_id }) => provider_id === id).map(({ model }) => model));
    const offers = rows
      .filter(({ enabled }) => enabled)
      .map((row) => providers.offers.of(row, configured(row.id), query.refresh ?? false));
    const body = {
      providers: await Promise.all(offers),
      catalogue_date: CATALOGUE_DATE,
      next_cursor: null,
    };
    return { status: 200, body };
  },
});

async function providerOf(db: Queryable, id: string, userId: string): Promise<ProviderRow> {
  const [provider] = await db.query(findProvider, { id, user_id: userId });
  if (provider !== undefined) return provider;
  throw new Refused('unknown_provider', `There is no provider ${id}.`);
}

function drafted(before: ModelConfigRow, change: Change): Draft {
  if (before.is_default && change.is_default === false) {
    const message = 'there must be a default: make another model the default instead';
    throw refusedFields([{ path: 'is_default', message }]);
  }
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
    title_model_config_id: otherOr(change.title_model_config_id, before.title_model_config_id),
    summary_model_config_id: otherOr(
      change.summary_model_config_id,
      before.summary_model_config_id,
    ),
  };
}

const otherOr = (given: string | null | undefined, before: string | null) =>
  given === undefined ? before : given;

/** All that the config says must mean something to its provider; what it names must exist. */
async function check(db: Queryable, draft: Draft, provider: ProviderRow): Promise<void> {
  const access = { type: provider.type, options: provider.options };
  const errors = modelOptionErrors(access, draft.options);
  if (errors.length > 0) throw refusedFields(errors);
  for (const field of ['title_model_config_id', 'summary_model_config_id'] as const) {
    const id = draft[field];
    if (id === null || id === draft.id) continue;
    const [other] = await db.query(findModelConfig, { id });
    if (other !== undefined) continue;
    const message = 'there is no such model config';
    throw refusedFields([{ path: field, message }], 'unknown_model_config');
  }
}

const columnsOf = (draft: Draft) => ({
  ...draft,
  options: toJson(draft.options),
  // Itself is the same as none.
  title_model_config_id:
    draft.title_model_config_id === draft.id ? null : draft.title_model_config_id,
  summary_model_config_id:
    draft.summary_model_config_id === draft.id ? null : draft.summary_model_config_id,
});

const inUse = () =>
  new Refused(
    'model_config_in_use',
    'Chats use this model: disable it instead, or give those chats another one first.',
  );

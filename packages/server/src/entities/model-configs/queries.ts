import type { ModelTest, Routes } from '@chatd/protocol';
import type { z } from 'zod';
import { actsAsAdmin, type Caller } from '../../auth/caller.ts';
import { notFound } from '../../chat/refused.ts';
import { CATALOGUE_DATE } from '../../providers/catalog/index.ts';
import { testModel } from '../../providers/model-test.ts';
import type { Providers } from '../../providers/providers.ts';
import type { ModelConfigRow } from '../../store/model-configs.ts';
import { findModelConfig, listModelConfigs } from '../../store/queries/model-configs.ts';
import { listProviders } from '../../store/queries/providers.ts';
import type { Queryable } from '../../store/statement.ts';
import { requireProvider } from '../providers/queries.ts';

export async function requireModelConfig(db: Queryable, id: string): Promise<ModelConfigRow> {
  const [row] = await db.query(findModelConfig, { id });
  if (row === undefined) throw notFound();
  return row;
}

/** Members see only the models that they can use. */
export async function visibleModelConfigs(
  db: Queryable,
  caller: Caller,
): Promise<ModelConfigRow[]> {
  const rows = await db.query(listModelConfigs, { user_id: caller.user.id });
  return actsAsAdmin(caller) ? rows : rows.filter(({ usable }) => usable);
}

/** Sends a short request to the model, with the key and options that a chat of the user would use. */
export async function testModelConfig(
  { clock, secrets, models }: Providers,
  id: string,
  userId: string,
  db: Queryable,
): Promise<ModelTest> {
  const row = await requireModelConfig(db, id);
  const provider = await requireProvider(db, row.provider_id, userId);
  const find = () => models.forChat(row.id, userId);
  return await testModel(find, { provider, clock, secrets });
}

/** The models that every enabled provider offers, configured or not. */
export async function listOfferedModels(
  { offers }: Providers,
  userId: string,
  refresh: boolean,
  db: Queryable,
): Promise<z.input<Routes['listModels']['answers'][200]>> {
  const [rows, configs] = await Promise.all([
    db.query(listProviders, { user_id: userId }),
    db.query(listModelConfigs, { user_id: userId }),
  ]);
  const configured = (id: string) =>
    new Set(configs.filter(({ provider_id }) => provider_id === id).map(({ model }) => model));
  const lists = rows
    .filter(({ enabled }) => enabled)
    .map((row) => offers.of(row, configured(row.id), refresh));
  return {
    providers: await Promise.all(lists),
    catalogue_date: CATALOGUE_DATE,
    next_cursor: null,
  };
}

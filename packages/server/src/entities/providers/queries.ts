import type { ProviderTest } from '@chatd/protocol';
import { actsAsAdmin, type Caller } from '../../auth/caller.ts';
import { notFound } from '../../chat/refused.ts';
import { type AskOptions, askProvider } from '../../providers/list-provider-models.ts';
import type { ListedProvider } from '../../store/providers.ts';
import { findProvider, listProviders } from '../../store/queries/providers.ts';
import type { Queryable } from '../../store/statement.ts';

/** With the information whether the user has their own key. */
export async function requireProvider(
  db: Queryable,
  id: string,
  userId: string,
): Promise<ListedProvider> {
  const [row] = await db.query(findProvider, { id, user_id: userId });
  if (row === undefined) throw notFound();
  return row;
}

/** Members see only the providers that accept their key. */
export async function visibleProviders(db: Queryable, caller: Caller): Promise<ListedProvider[]> {
  const rows = await db.query(listProviders, { user_id: caller.user.id });
  return actsAsAdmin(caller) ? rows : rows.filter(acceptsUserKeys);
}

export const acceptsUserKeys = ({ enabled, allow_user_keys }: ListedProvider): boolean =>
  enabled && allow_user_keys;

/** Lists the models of a provider, to test the connection. */
export async function testProvider(
  provider: ListedProvider,
  options: AskOptions,
): Promise<ProviderTest> {
  const began = performance.now();
  const result = await askProvider(provider, options);
  const latency_ms = Math.round(performance.now() - began);
  if ('error' in result) {
    const { error } = result;
    return { ok: false, message: error.message, latency_ms, error };
  }
  const { length } = result.models;
  const message = `${provider.name} answered in ${latency_ms} ms and offers ${length} ${length === 1 ? 'model' : 'models'}.`;
  return { ok: true, message, latency_ms, models_found: length };
}

import type { Routes } from '@chatd/protocol';
import type { z } from 'zod';
import { actsAsAdmin } from '../../auth/caller.ts';
import { askProvider } from '../../providers/list-provider-models.ts';
import { checkUrl, UrlNotAllowed } from '../../providers/fetch/url-check.ts';
import { modelOptionErrors } from '../../providers/check-model-options.ts';
import { KINDS } from '../../providers/kinds/index.ts';
import { ModelOptions } from '../../providers/model-options.ts';
import { optionErrors } from '../../providers/option-errors.ts';
import { planSecrets } from '../../providers/plan-secrets.ts';
import type { Providers } from '../../providers/providers.ts';
import { UnreadableSecret } from '../../secrets/vault.ts';
import { isForeignKeyViolation } from '../../store/constraint.ts';
import { toJson } from '../../store/json.ts';
import { DEMO_PROVIDER, providerSecretsOf, userKeyOf } from '../../store/providers.ts';
import {
  type ConfigOptions,
  configsInUse,
  configsOfProvider,
  lockModelConfigs,
  passOnDefault,
} from '../../store/queries/model-configs.ts';
import {
  deleteProvider,
  findProvider,
  insertProvider,
  listProviders,
  lockProvider,
  updateProvider,
} from '../../store/queries/providers.ts';
import { deleteUserKey, putUserKey } from '../../store/queries/user-keys.ts';
import { onlyRow } from '../../store/statement.ts';
import type { ProviderRow } from '../../store/providers.ts';
import { uuidv7 } from '../../store/uuid.ts';
import { afterCommit } from '../after-commit.ts';
import type { HandlersOf } from '../call.ts';
import { refusedFields, notFound, Refused } from '../../chat/refused.ts';
import { presentProvider, presentProviderToMember } from '../../present/provider.ts';
import type { Services } from '../services.ts';
import { withinTransaction } from '../within-transaction.ts';

type Change = z.output<Routes['updateProvider']['body']>;

export const providerHandlers = ({ store, providers }: Services): HandlersOf<'Providers'> => ({
  async listProviders({ caller, db }) {
    const rows = await db.query(listProviders, { user_id: caller.user.id });
    if (actsAsAdmin(caller)) {
      const all = rows.map((row) => presentProvider(row, providers.keys));
      return { status: 200, body: { providers: all, next_cursor: null } };
    }
    const theirs = rows.filter(({ enabled, allow_user_keys }) => enabled && allow_user_keys);
    return {
      status: 200,
      body: { providers: theirs.map(presentProviderToMember), next_cursor: null },
    };
  },

  async createProvider({ body, db }) {
    const id = uuidv7();
    const { type, name, enabled, allow_user_keys } = body;
    const fresh: ProviderRow = {
      id,
      type,
      name,
      enabled,
      base_url: null,
      options: {},
      secrets: null,
      from_environment: false,
      allow_user_keys,
      created_at: new Date(),
    };
    await checkBaseUrl(body.base_url, providers);
    const row = changed(fresh, body, providers);
    const inserted = onlyRow(await db.query(insertProvider, columnsOf(row)));
    providers.changed();
    const shown = presentProvider({ ...inserted, has_own_key: false }, providers.keys);
    return { status: 201, body: shown };
  },

  async getProvider({ params, caller, db }) {
    const [row] = await db.query(findProvider, { id: params.provider_id, user_id: caller.user.id });
    if (row === undefined) throw notFound();
    return { status: 200, body: presentProvider(row, providers.keys) };
  },

  async updateProvider({ params, body, caller }) {
    const { provider_id: id } = params;
    // Before anything is locked: names may take long to resolve.
    await checkBaseUrl(body.base_url, providers);
    await store.database.transaction(async (tx) => {
      await tx.query(lockModelConfigs);
      const [before] = await tx.query(lockProvider, { id });
      if (before === undefined) throw notFound();
      const after = changed(before, body, providers);
      checkConfigsStillFit(after, await tx.query(configsOfProvider, { provider_id: id }));
      await tx.query(updateProvider, columnsOf(after));
    });
    providers.changed();
    const row = onlyRow(await store.database.query(findProvider, { id, user_id: caller.user.id }));
    return { status: 200, body: presentProvider(row, providers.keys) };
  },

  async deleteProvider({ params, tx }) {
    const { provider_id: id } = params;
    if (id === DEMO_PROVIDER) {
      throw new Refused('built_in', 'The demo cannot be deleted: disable it instead.');
    }
    await withinTransaction(store.database, tx, async (within) => {
      await within.query(lockModelConfigs);
      const [provider] = await within.query(lockProvider, { id });
      if (provider === undefined) throw notFound();
      const configs = await within.query(configsOfProvider, { provider_id: id });
      const used = await within.query(configsInUse, { ids: configs.map((config) => config.id) });
      if (used.length > 0) throw inUse(used);
      await within.query(deleteProvider, { provider_id: id }).catch((error: unknown) => {
        // A chat came between the look and the deletion.
        throw isForeignKeyViolation(error) ? inUse([{ display_name: 'one of its models' }]) : error;
      });
      await within.query(passOnDefault);
    });
    afterCommit(tx, () => providers.changed());
    return { status: 204 };
  },

  async testProvider({ params, caller, db }) {
    const [row] = await db.query(findProvider, { id: params.provider_id, user_id: caller.user.id });
    if (row === undefined) throw notFound();
    const began = performance.now();
    const asked = await askProvider(row, providers.asking);
    const latency_ms = Math.round(performance.now() - began);
    if ('error' in asked) {
      const { error } = asked;
      return { status: 200, body: { ok: false, message: error.message, latency_ms, error } };
    }
    const { length } = asked.models;
    const message = `${row.name} answered in ${latency_ms} ms and offers ${length} ${length === 1 ? 'model' : 'models'}.`;
    return { status: 200, body: { ok: true, message, latency_ms, models_found: length } };
  },

  async setOwnKey({ params, body, caller, db }) {
    const { provider_id: id } = params;
    const [row] = await db.query(findProvider, { id, user_id: caller.user.id });
    // What takes no keys of users does not exist for them.
    if (row === undefined || !row.enabled || !row.allow_user_keys) throw notFound();
    const { user } = caller;
    const sealed = seal(providers, { api_key: body.api_key }, userKeyOf(id, user.id));
    const [put] = await db.query(putUserKey, {
      provider_id: id,
      user_id: user.id,
      secrets: sealed,
    });
    if (put === undefined) throw notFound();
    providers.changed();
    return { status: 204 };
  },

  async deleteOwnKey({ params, caller, db }) {
    const [gone] = await db.query(deleteUserKey, {
      provider_id: params.provider_id,
      user_id: caller.user.id,
    });
    if (gone === undefined) throw notFound();
    providers.changed();
    return { status: 204 };
  },
});

const columnsOf = (row: ProviderRow) => ({ ...row, options: toJson(row.options) });

/** The row as it is after a change, all of it checked. */
function changed(before: ProviderRow, change: Change, providers: Providers): ProviderRow {
  checkFits(before, change);
  const after: ProviderRow = {
    ...before,
    name: change.name ?? before.name,
    enabled: change.enabled ?? before.enabled,
    allow_user_keys: change.allow_user_keys ?? before.allow_user_keys,
    base_url: change.base_url === undefined ? before.base_url : change.base_url,
    options: change.options ?? before.options,
  };
  const kind = KINDS[before.type];
  const errors = optionErrors(kind.options, after.options, 'options');
  if (errors.length > 0) throw refusedFields(errors);
  const access = { type: after.type, options: after.options };
  const address = kind.baseUrl({ ...access, ...(after.base_url && { base_url: after.base_url }) });
  if (address === undefined && before.type !== 'demo') {
    const or = before.type === 'azure' ? ', or options.resource_name' : '';
    throw refusedFields([{ path: 'base_url', message: `is needed for this type${or}` }]);
  }
  return { ...after, secrets: secretsAfter(before, change, providers) };
}

/** Fields that mean nothing for this type. */
function checkFits({ type }: ProviderRow, change: Change): void {
  const senseless: (keyof Change)[] =
    type === 'demo'
      ? ['base_url', 'api_key', 'aws_credentials', 'allow_user_keys']
      : type === 'bedrock'
        ? []
        : ['aws_credentials'];
  const errors = senseless
    .filter((field) => change[field] !== undefined && change[field] !== null)
    .filter((field) => change[field] !== false)
    .map((path) => ({ path, message: `cannot be set for the type ${type}` }));
  if (errors.length > 0) throw refusedFields(errors);
}

/** What models were set up with must mean something to the provider that it becomes. */
function checkConfigsStillFit(after: ProviderRow, configs: readonly ConfigOptions[]): void {
  const access = { type: after.type, options: after.options };
  const errors = configs.flatMap(({ display_name, options }) =>
    modelOptionErrors(access, ModelOptions.parse(options)).map(({ path, message }) => ({
      path: 'options',
      message: `does not go with ${path} of ${display_name}: ${message}`,
    })),
  );
  if (errors.length > 0) throw refusedFields(errors);
}

async function checkBaseUrl(
  url: string | null | undefined,
  { allowPrivate }: Providers,
): Promise<void> {
  if (url === null || url === undefined) return;
  try {
    await checkUrl(url, await allowPrivate());
  } catch (error) {
    if (!(error instanceof UrlNotAllowed)) throw error;
    throw refusedFields([{ path: 'base_url', message: error.message }], 'url_not_allowed');
  }
}

function secretsAfter(before: ProviderRow, change: Change, providers: Providers): string | null {
  const { api_key, aws_credentials } = change;
  if (api_key === undefined && aws_credentials === undefined) return before.secrets;
  const row = providerSecretsOf(before.id);
  const secrets = planSecrets(readable(before, providers), { api_key, aws_credentials });
  return Object.keys(secrets).length === 0 ? null : seal(providers, secrets, row);
}

/** What cannot be decrypted any more is replaced, not kept. */
function readable({ id, secrets }: ProviderRow, { vault }: Providers): Record<string, string> {
  if (secrets === null) return {};
  try {
    return vault.open(secrets, providerSecretsOf(id));
  } catch (error) {
    if (error instanceof UnreadableSecret) return {};
    throw error;
  }
}

function seal({ vault }: Providers, secrets: Record<string, string>, row: string): string {
  if (vault.canSeal) return vault.seal(secrets, row);
  throw new Refused(
    'secret_key_required',
    'Keys are only stored encrypted, and there is nothing to encrypt them with: start chatd with CHATD_SECRET_KEY, the same for all replicas (for example from: openssl rand -base64 32).',
  );
}

function inUse(used: readonly { readonly display_name: string }[]): Refused {
  const names = used.map(({ display_name }) => display_name).join(', ');
  return new Refused(
    'provider_in_use',
    `Chats use ${names}: disable the provider instead, or give those chats another model first.`,
  );
}

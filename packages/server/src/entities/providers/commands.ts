import type { Routes } from '@chatd/protocol';
import type { z } from 'zod';
import { notFound, Refused, refusedField, refusedFields } from '../../chat/refused.ts';
import { modelOptionErrors } from '../../providers/check-model-options.ts';
import { KINDS } from '../../providers/kinds/index.ts';
import { ModelOptions } from '../../providers/model-options.ts';
import { optionErrors } from '../../providers/option-errors.ts';
import { planSecrets } from '../../providers/plan-secrets.ts';
import type { Providers } from '../../providers/providers.ts';
import { UnreadableSecret, type Vault } from '../../secrets/vault.ts';
import { isForeignKeyViolation } from '../../store/constraint.ts';
import { toJson } from '../../store/json.ts';
import {
  DEMO_PROVIDER,
  type ListedProvider,
  providerSecretsOf,
  type ProviderRow,
  userKeyOf,
} from '../../store/providers.ts';
import {
  type ConfigOptions,
  configsInUse,
  configsOfProvider,
  lockModelConfigs,
  passOnDefault,
} from '../../store/queries/model-configs.ts';
import {
  deleteProvider,
  insertProvider,
  lockProvider,
  updateProvider,
} from '../../store/queries/providers.ts';
import { deleteUserKey, putUserKey } from '../../store/queries/user-keys.ts';
import { onlyRow } from '../../store/statement.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';
import { checkAllowedUrl, sealOrRefuse } from '../secrets-and-urls.ts';
import { acceptsUserKeys, requireProvider } from './queries.ts';

type NewProvider = z.output<Routes['createProvider']['body']>;
type ProviderChange = z.output<Routes['updateProvider']['body']>;

/** Changes providers and the keys of users. Every change takes effect for the next model call. */
export class ProviderCommands {
  readonly #providers: Pick<Providers, 'allowPrivate' | 'changed' | 'vault'>;

  constructor(providers: Pick<Providers, 'allowPrivate' | 'changed' | 'vault'>) {
    this.#providers = providers;
  }

  async create(given: NewProvider, tx: Transaction): Promise<ListedProvider> {
    await this.#checkBaseUrl(given.base_url);
    const row = planProvider(newProvider(given), given, this.#providers.vault);
    const inserted = onlyRow(await tx.query(insertProvider, columnsOf(row)));
    tx.afterCommit(() => this.#providers.changed());
    return { ...inserted, has_own_key: false };
  }

  async update(id: string, change: ProviderChange, tx: Transaction): Promise<void> {
    // Before the locks: resolving a name may take long.
    await this.#checkBaseUrl(change.base_url);
    await tx.query(lockModelConfigs);
    const [before] = await tx.query(lockProvider, { id });
    if (before === undefined) throw notFound();
    const after = planProvider(before, change, this.#providers.vault);
    checkConfigsFit(after, await tx.query(configsOfProvider, { provider_id: id }));
    await tx.query(updateProvider, columnsOf(after));
    tx.afterCommit(() => this.#providers.changed());
  }

  async delete(id: string, tx: Transaction): Promise<void> {
    if (id === DEMO_PROVIDER) {
      throw new Refused('built_in', 'The demo provider cannot be deleted. Disable it instead.');
    }
    await tx.query(lockModelConfigs);
    const [provider] = await tx.query(lockProvider, { id });
    if (provider === undefined) throw notFound();
    const configs = await tx.query(configsOfProvider, { provider_id: id });
    const used = await tx.query(configsInUse, { ids: configs.map((config) => config.id) });
    if (used.length > 0) throw inUse(used.map(({ display_name }) => display_name).join(', '));
    await tx.query(deleteProvider, { provider_id: id }).catch((error: unknown) => {
      // A chat was created after the check.
      throw isForeignKeyViolation(error) ? inUse('a model of this provider') : error;
    });
    await tx.query(passOnDefault);
    tx.afterCommit(() => this.#providers.changed());
  }

  async setOwnKey(id: string, userId: string, apiKey: string, tx: Transaction): Promise<void> {
    const provider = await requireProvider(tx, id, userId);
    if (!acceptsUserKeys(provider)) throw notFound();
    const { vault } = this.#providers;
    const secrets = sealOrRefuse(vault, { api_key: apiKey }, userKeyOf(id, userId));
    const [put] = await tx.query(putUserKey, { provider_id: id, user_id: userId, secrets });
    if (put === undefined) throw notFound();
    tx.afterCommit(() => this.#providers.changed());
  }

  async deleteOwnKey(id: string, userId: string, tx: Transaction): Promise<void> {
    const [deleted] = await tx.query(deleteUserKey, { provider_id: id, user_id: userId });
    if (deleted === undefined) throw notFound();
    tx.afterCommit(() => this.#providers.changed());
  }

  async #checkBaseUrl(url: string | null | undefined): Promise<void> {
    if (url === null || url === undefined) return;
    await checkAllowedUrl('base_url', url, this.#providers.allowPrivate);
  }
}

const columnsOf = (row: ProviderRow) => ({ ...row, options: toJson(row.options) });

const newProvider = (given: NewProvider): ProviderRow => ({
  id: uuidv7(),
  type: given.type,
  name: given.name,
  enabled: given.enabled,
  base_url: null,
  options: {},
  secrets: null,
  from_environment: false,
  allow_user_keys: given.allow_user_keys,
  created_at: new Date(),
});

/** The row after a change. Refuses fields and options that do not fit its type. */
function planProvider(before: ProviderRow, change: ProviderChange, vault: Vault): ProviderRow {
  checkFieldsFit(before, change);
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
  const { type, options, base_url } = after;
  const address = kind.baseUrl({ type, options, ...(base_url !== null && { base_url }) });
  if (address === undefined && type !== 'demo') {
    const alternative = type === 'azure' ? ', unless options.resource_name is set' : '';
    throw refusedField('base_url', `is required for this type${alternative}`);
  }
  return { ...after, secrets: secretsAfter(before, change, vault) };
}

function checkFieldsFit({ type }: ProviderRow, change: ProviderChange): void {
  const unsupported: (keyof ProviderChange)[] =
    type === 'demo'
      ? ['base_url', 'api_key', 'aws_credentials', 'allow_user_keys']
      : type === 'bedrock'
        ? []
        : ['aws_credentials'];
  const errors = unsupported
    .filter((field) => change[field] !== undefined && change[field] !== null)
    .filter((field) => change[field] !== false)
    .map((path) => ({ path, message: `cannot be set for the type ${type}` }));
  if (errors.length > 0) throw refusedFields(errors);
}

/** The options of existing model configs must be valid for the changed provider. */
function checkConfigsFit(after: ProviderRow, configs: readonly ConfigOptions[]): void {
  const access = { type: after.type, options: after.options };
  const errors = configs.flatMap(({ display_name, options }) =>
    modelOptionErrors(access, ModelOptions.parse(options)).map(({ path, message }) => ({
      path: 'options',
      message: `conflicts with ${path} of ${display_name}: ${message}`,
    })),
  );
  if (errors.length > 0) throw refusedFields(errors);
}

function secretsAfter(before: ProviderRow, change: ProviderChange, vault: Vault): string | null {
  const { api_key, aws_credentials } = change;
  if (api_key === undefined && aws_credentials === undefined) return before.secrets;
  const secrets = planSecrets(readableSecrets(before, vault), { api_key, aws_credentials });
  if (Object.keys(secrets).length === 0) return null;
  return sealOrRefuse(vault, secrets, providerSecretsOf(before.id));
}

/** Secrets that cannot be decrypted any more are replaced. */
function readableSecrets({ id, secrets }: ProviderRow, vault: Vault): Record<string, string> {
  if (secrets === null) return {};
  try {
    return vault.open(secrets, providerSecretsOf(id));
  } catch (error) {
    if (error instanceof UnreadableSecret) return {};
    throw error;
  }
}

const inUse = (models: string) =>
  new Refused(
    'provider_in_use',
    `Chats use ${models}. Disable the provider, or choose another model for those chats first.`,
  );

import { type Clock, ProviderError, type Transport } from '@chatd/loop';
import type { SecretValues } from '../secrets/secret-values.ts';
import { type CallableModelRow, findCallableModel } from '../store/queries/model-configs.ts';
import { modelRestricted } from '../store/accounting/call-permissions.ts';
import type { Queryable } from '../store/statement.ts';
import { buildModel } from './build-model.ts';
import { redactingModel } from './redaction/redacting-model.ts';
import { KINDS } from './kinds/index.ts';
import type { Fetch } from './kinds/kind.ts';
import { settingsOf } from './model-options.ts';
import type { ChatModel, Models } from './models.ts';
import type { ProviderKeys } from './provider-keys.ts';

/** Cache duration: changes made by another replica take effect within this time. */
const KEPT_MS = 4000;
const KEPT_ENTRIES = 1000;

export interface ProviderModelsOptions {
  readonly db: Queryable;
  readonly keys: ProviderKeys;
  readonly fetch: Fetch;
  readonly transport: Transport;
  readonly secrets: SecretValues;
  readonly clock: Pick<Clock, 'now'>;
}

interface Kept {
  readonly at: number;
  readonly model: Promise<CallableModel>;
}

interface CallableModel {
  readonly model: ChatModel;
  readonly titleConfigId: string | null;
  readonly summaryConfigId: string | null;
}

export class ProviderModels implements Models {
  readonly #options: ProviderModelsOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: ProviderModelsOptions) {
    this.#options = options;
  }

  async forChat(configId: string, userId: string): Promise<ChatModel> {
    const { model, summaryConfigId } = await this.#find(configId, userId);
    const summary = await this.#findAnother(summaryConfigId, userId);
    return summary === undefined ? model : { ...model, summary };
  }

  async forTitle(configId: string, userId: string): Promise<ChatModel> {
    const { model, titleConfigId } = await this.#find(configId, userId);
    return (await this.#findAnother(titleConfigId, userId)) ?? model;
  }

  /** A change was made in this process: it takes effect with the next call. */
  forget(): void {
    this.#kept.clear();
  }

  /** If the model for a side task cannot be called, the chat's own model is used. */
  async #findAnother(configId: string | null, userId: string): Promise<ChatModel | undefined> {
    if (configId === null) return undefined;
    try {
      return (await this.#find(configId, userId)).model;
    } catch (error) {
      if (error instanceof ProviderError) return undefined;
      throw error;
    }
  }

  #find(configId: string, userId: string): Promise<CallableModel> {
    const key = `${configId} ${userId}`;
    const now = this.#options.clock.now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && now - kept.at < KEPT_MS) return kept.model;
    if (this.#kept.size >= KEPT_ENTRIES) this.#kept.clear();
    const model = this.#load(configId, userId);
    const entry = { at: now, model };
    this.#kept.set(key, entry);
    // Failures are not cached, because an admin may be fixing them.
    model.catch(() => this.#kept.get(key) === entry && this.#kept.delete(key));
    return model;
  }

  async #load(configId: string, userId: string): Promise<CallableModel> {
    const { db, keys, fetch, transport, secrets } = this.#options;
    const [row] = await db.query(findCallableModel, { id: configId, user_id: userId });
    if (row === undefined) throw refused('config', 'The model was deleted. Choose another one.');
    checkEnabled(row);
    if (!row.permitted) throw modelRestricted();
    const sealed = row.allow_user_keys ? row.user_secrets : null;
    const own = sealed === null ? undefined : { userId, sealed };
    const access = {
      type: row.provider_type,
      name: row.provider_name,
      options: row.provider_options,
      ...(row.base_url !== null && { base_url: row.base_url }),
      ...keys.of(keyHolderOf(row), own),
    };
    if (!KINDS[access.type].hasKey(access)) throw withoutKey(row);
    const model = redactingModel(await buildModel(access, row.model, fetch, transport), secrets);
    const url = KINDS[access.type].baseUrl(access);
    const address = url === undefined ? {} : { url };
    return {
      model: {
        configId: row.id,
        model,
        settings: { ...settingsOf(row), provider_name: row.provider_name },
        ...address,
      },
      titleConfigId: row.title_model_config_id,
      summaryConfigId: row.summary_model_config_id,
    };
  }
}

const keyHolderOf = (row: CallableModelRow) => ({
  id: row.provider_id,
  type: row.provider_type,
  name: row.provider_name,
  secrets: row.secrets,
  from_environment: row.from_environment,
});

function checkEnabled(row: CallableModelRow): void {
  const { enabled, provider_enabled, display_name, provider_name } = row;
  if (!provider_enabled) {
    throw refused('provider_disabled', `${provider_name} is disabled. Choose another model.`);
  }
  if (!enabled) {
    throw refused('provider_disabled', `${display_name} is disabled. Choose another model.`);
  }
}

function withoutKey({ provider_name, allow_user_keys, from_environment }: CallableModelRow) {
  const missing = from_environment
    ? `The server environment no longer contains a key for ${provider_name}.`
    : `No API key is configured for ${provider_name}.`;
  return refused(
    'missing_key',
    allow_user_keys
      ? `${missing} Add your own key, or ask an admin.`
      : `${missing} An admin must add one.`,
  );
}

const refused = (kind: 'config' | 'provider_disabled' | 'missing_key', message: string) =>
  new ProviderError({ kind, message });

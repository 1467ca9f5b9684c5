import { type Clock, systemClock } from '@chatd/loop';
import type { Logger } from 'pino';
import type { Agent } from 'undici';
import { masterKeys } from '../secrets/master-key.ts';
import { reseal } from '../secrets/reseal.ts';
import { knownSecrets, type SecretValues } from '../secrets/secret-values.ts';
import { Vault } from '../secrets/vault.ts';
import type { Database } from '../store/database.ts';
import type { AskOptions } from './list-provider-models.ts';
import { seedFromEnvironment } from './environment-providers.ts';
import { type AllowPrivate, guardedAgent } from './fetch/guarded-agent.ts';
import { providerFetch } from './fetch/provider-fetch.ts';
import { providerTransport } from './fetch/provider-transport.ts';
import type { Environment } from './kinds/kind.ts';
import { ModelListCache } from './model-list-cache.ts';
import { ProviderKeys } from './provider-keys.ts';
import { ProviderModels } from './provider-models.ts';

export interface ProvidersOptions {
  readonly database: Database;
  readonly log: Logger;
  /** CHATD_SECRET_KEY. */
  readonly secretKey: string | undefined;
  /** Where a key is generated if none is given. Undefined: the database is external. */
  readonly dataDir: string | undefined;
  readonly env: Environment;
  /** Whether providers may have private addresses. */
  readonly allowPrivate: AllowPrivate;
  readonly clock?: Clock;
}

export class Providers {
  readonly vault: Vault;
  readonly keys: ProviderKeys;
  readonly models: ProviderModels;
  readonly offers: ModelListCache;
  /** The `fetch` for requests that are not model calls. */
  readonly asking: AskOptions;
  readonly allowPrivate: AllowPrivate;
  readonly clock: Clock;
  readonly secrets: SecretValues = knownSecrets;
  readonly #agent: Agent;

  /** Opens the vault, re-encrypts outdated secrets, and creates providers from keys in the environment. */
  static async open(options: ProvidersOptions): Promise<Providers> {
    const { database, log, secretKey: given, dataDir, env } = options;
    const vault = new Vault(await masterKeys({ given, dataDir }));
    await reseal(database, vault, log);
    await seedFromEnvironment({ database, env, log });
    return new Providers(options, vault);
  }

  private constructor(options: ProvidersOptions, vault: Vault) {
    const { database: db, env, allowPrivate, clock = systemClock } = options;
    this.vault = vault;
    this.clock = clock;
    this.allowPrivate = allowPrivate;
    this.#agent = guardedAgent(allowPrivate);
    const { secrets } = this;
    this.keys = new ProviderKeys(vault, env, secrets);
    const fetch = providerFetch(this.#agent);
    this.asking = { keys: this.keys, fetch, secrets, clock };
    const transport = providerTransport(this.#agent);
    this.models = new ProviderModels({ db, keys: this.keys, fetch, transport, secrets, clock });
    this.offers = new ModelListCache(this.asking);
  }

  /** Call after the commit of a change to a provider, model or key. */
  changed(): void {
    this.models.forget();
    this.offers.forget();
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

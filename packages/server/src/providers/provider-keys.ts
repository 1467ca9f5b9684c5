import type { ProviderType } from '@chatd/protocol';
import { ProviderError } from '@chatd/loop';
import type { SecretValues } from '../secrets/secret-values.ts';
import { UnreadableSecret, type Vault } from '../secrets/vault.ts';
import { providerSecretsOf, userKeyOf } from '../store/providers.ts';
import type { ProviderSecrets } from './access.ts';
import { KINDS } from './kinds/index.ts';
import type { Environment } from './kinds/kind.ts';

export interface KeyHolder {
  readonly id: string;
  readonly type: ProviderType;
  readonly name: string;
  readonly secrets: string | null;
  readonly from_environment: boolean;
}

/** The sources of a provider's keys, in order: the user's own, those stored with the provider, the environment. */
export class ProviderKeys {
  readonly #vault: Vault;
  readonly #env: Environment;

  constructor(vault: Vault, env: Environment, known: SecretValues) {
    this.#vault = vault;
    this.#env = env;
    // Registered for redaction even if unused, because errors may contain them.
    for (const kind of Object.values(KINDS)) {
      for (const value of Object.values<string>({ ...kind.environment(env)?.secrets })) {
        known.add(value);
      }
    }
  }

  of(
    provider: KeyHolder,
    own?: { readonly userId: string; readonly sealed: string },
  ): ProviderSecrets {
    if (own !== undefined) {
      return this.#open(own.sealed, userKeyOf(provider.id, own.userId), provider);
    }
    if (provider.secrets !== null) {
      return this.#open(provider.secrets, providerSecretsOf(provider.id), provider);
    }
    if (!provider.from_environment) return {};
    return KINDS[provider.type].environment(this.#env)?.secrets ?? {};
  }

  /** Does not decrypt anything. */
  has(provider: KeyHolder): boolean {
    if (provider.secrets !== null) return true;
    return provider.from_environment && KINDS[provider.type].environment(this.#env) !== undefined;
  }

  #open(sealed: string, row: string, { name }: KeyHolder): ProviderSecrets {
    try {
      return this.#vault.open(sealed, row);
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      throw new ProviderError({
        kind: 'missing_key',
        message: `The key of ${name} was encrypted with a CHATD_SECRET_KEY that is no longer set. An admin must append that key after a comma, or enter the provider key again.`,
      });
    }
  }
}

import type { ProviderOffer, ProviderType } from '@chatd/protocol';
import type { ProviderRow } from '../store/providers.ts';
import { type ModelListResult, askProvider, type AskOptions } from './list-provider-models.ts';
import { knownModel, knownModels, suggestedEffort } from './catalog/index.ts';
import { KINDS } from './kinds/index.ts';
import type { OfferedModel } from './kinds/kind.ts';

const KEPT_MS = 60_000;

interface Kept {
  readonly at: number;
  readonly asked: Promise<ModelListResult>;
}

/** The model lists of providers, cached for a minute. */
export class ModelListCache {
  readonly #options: AskOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: AskOptions) {
    this.#options = options;
  }

  /** A failing provider does not affect the others. */
  async of(
    provider: ProviderRow,
    configured: ReadonlySet<string>,
    refresh: boolean,
  ): Promise<ProviderOffer> {
    const asked = await this.#ask(provider, refresh);
    const models = 'models' in asked ? asked.models : knownModels(provider.type);
    return {
      provider_id: provider.id,
      type: provider.type,
      name: provider.name,
      models: models
        .map((model) => ({ ...known(provider, model), configured: configured.has(model.id) }))
        .toSorted((a, b) => a.id.localeCompare(b.id)),
      ...('error' in asked && { error: asked.error }),
    };
  }

  forget(): void {
    this.#kept.clear();
  }

  #ask(provider: ProviderRow, refresh: boolean): Promise<ModelListResult> {
    const now = this.#options.clock.now();
    const kept = this.#kept.get(provider.id);
    if (!refresh && kept !== undefined && now - kept.at < KEPT_MS) return kept.asked;
    const asked = askProvider(provider, this.#options);
    this.#kept.set(provider.id, { at: now, asked });
    // Errors are not cached, because an admin may be fixing them.
    void asked.then((answer) => 'error' in answer && this.#kept.delete(provider.id));
    return asked;
  }
}

/** The provider's own data takes precedence over the catalog. */
function known({ type }: ProviderRow, model: OfferedModel) {
  return {
    ...knownModel(type, model.id),
    ...model,
    ...suggestedEffort(type, model.id),
    ...(isSuggested(type, model.id) && { suggested: true as const }),
  };
}

/** Providers may list it under a name with a date. */
function isSuggested(type: ProviderType, model: string): boolean {
  const { suggested } = KINDS[type];
  if (suggested === undefined) return false;
  const { name } = knownModel(type, model) ?? {};
  return model === suggested || (name !== undefined && name === knownModel(type, suggested)?.name);
}

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { ProviderError } from '@chatd/loop';
import type { ProviderAccess } from './access.ts';
import { KINDS } from './kinds/index.ts';
import type { Fetch } from './kinds/kind.ts';

/** A model from its provider's package. Everything it needs is given: nothing is read, nothing is called. */
export function buildModel(access: ProviderAccess, modelId: string, fetch: Fetch): LanguageModelV4 {
  return KINDS[access.type].build(buildable(access), modelId, fetch);
}

/** The same, once it is known to have an address and a key. */
export function buildable(access: ProviderAccess): ProviderAccess {
  const kind = KINDS[access.type];
  if (!kind.hasKey(access)) {
    throw new ProviderError({
      kind: 'missing_key',
      message: `There is no API key for ${access.name ?? kind.label}. An administrator must add one.`,
    });
  }
  if (access.type !== 'demo' && kind.baseUrl(access) === undefined) {
    throw new ProviderError({
      kind: 'config',
      message: `${access.name ?? `The provider (${kind.label})`} has no address. An administrator must set its base_url.`,
    });
  }
  return access;
}

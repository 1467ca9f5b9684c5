import type { LanguageModelV4 } from '@ai-sdk/provider';
import { ProviderError } from '@chatd/loop';
import type { ProviderAccess } from './access.ts';
import { KINDS } from './kinds/index.ts';
import type { Fetch } from './kinds/kind.ts';

/** Builds a model from its provider's package. All input is given: it reads no environment and makes no calls. */
export async function buildModel(
  access: ProviderAccess,
  modelId: string,
  fetch: Fetch,
): Promise<LanguageModelV4> {
  return await KINDS[access.type].build(buildable(access), modelId, fetch);
}

/** Like `buildModel`, but checks that there is an address and a key. */
export function buildable(access: ProviderAccess): ProviderAccess {
  const kind = KINDS[access.type];
  if (!kind.hasKey(access)) {
    throw new ProviderError({
      kind: 'missing_key',
      message: `No API key is configured for ${access.name ?? kind.label}. An administrator must add one.`,
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

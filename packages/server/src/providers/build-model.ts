import {
  codecModel,
  fetchTransport,
  ProviderError,
  type PushModel,
  pushModel,
  type Transport,
} from '@chatd/loop';
import type { ProviderAccess } from './access.ts';
import { KINDS } from './kinds/index.ts';
import type { Fetch } from './kinds/kind.ts';

/** Builds a model. All input is given: it reads no environment and makes no calls. */
export async function buildModel(
  access: ProviderAccess,
  modelId: string,
  fetch: Fetch,
  transport: Transport = fetchTransport(fetch),
): Promise<PushModel> {
  const kind = KINDS[access.type];
  const packaged = await kind.build(buildable(access), modelId, fetch);
  const endpoint = kind.endpoint?.(access, modelId, fetch);
  const model = endpoint ? codecModel(packaged, endpoint, transport) : pushModel(packaged);
  return kind.adapt?.(model) ?? model;
}

/** Like `buildModel`, but checks that there is an address and a key. */
export function buildable(access: ProviderAccess): ProviderAccess {
  const kind = KINDS[access.type];
  if (!kind.hasKey(access)) {
    throw new ProviderError({
      kind: 'missing_key',
      message: `No API key is configured for ${access.name ?? kind.label}. An admin must add one.`,
    });
  }
  if (access.type !== 'demo' && kind.baseUrl(access) === undefined) {
    throw new ProviderError({
      kind: 'config',
      message: `${access.name ?? `The provider (${kind.label})`} has no address. An admin must set its base_url.`,
    });
  }
  return access;
}

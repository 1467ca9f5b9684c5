import { chatError, classify, type Clock } from '@chatd/loop';
import type { ChatError } from '@chatd/protocol';
import type { SecretValues } from '../secrets/secret-values.ts';
import { buildable } from './build-model.ts';
import { redactedError } from './redaction/redacted-error.ts';
import { KINDS } from './kinds/index.ts';
import type { Fetch, OfferedModel } from './kinds/kind.ts';
import type { KeyHolder, ProviderKeys } from './provider-keys.ts';
import type { ProviderRow } from '../store/providers.ts';

const TIMEOUT_MS = 10_000;

export interface AskOptions {
  readonly keys: ProviderKeys;
  readonly fetch: Fetch;
  readonly secrets: SecretValues;
  readonly clock: Pick<Clock, 'now'>;
}

export type ModelListResult = { readonly models: OfferedModel[] } | { readonly error: ChatError };

/** The models of a provider, or the error. Does not throw for provider failures. */
export async function askProvider(
  provider: ProviderRow,
  options: AskOptions,
): Promise<ModelListResult> {
  const { keys, fetch, secrets, clock } = options;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const access = buildable({ ...accessOf(provider), ...keys.of(provider) });
    const models = await KINDS[provider.type].listModels(access, { fetch, signal });
    return { models: models.filter(isNamed).map((model) => redacted(model, secrets)) };
  } catch (error) {
    return { error: explained(redactedError(error, secrets), provider, { secrets, clock }) };
  }
}

/** Skips names that are too long for a model config. */
const isNamed = ({ id }: OfferedModel) => id !== '' && id.length <= 300;

const redacted = (model: OfferedModel, secrets: SecretValues): OfferedModel => ({
  ...model,
  id: secrets.hideParts(model.id),
  ...(model.name !== undefined && { name: secrets.hideParts(model.name).slice(0, 200) }),
});

const accessOf = (provider: KeyHolder & Pick<ProviderRow, 'base_url' | 'options'>) => ({
  type: provider.type,
  name: provider.name,
  options: provider.options,
  ...(provider.base_url !== null && { base_url: provider.base_url }),
});

export function explained(
  error: unknown,
  { type, name }: Pick<ProviderRow, 'type' | 'name'>,
  { secrets, clock }: Pick<AskOptions, 'secrets' | 'clock'>,
): ChatError {
  const failure = chatError(classify(error, { provider: type, providerName: name, clock }));
  const { detail, ...rest } = failure;
  return { ...rest, ...(detail !== undefined && { detail: secrets.hideParts(detail) }) };
}

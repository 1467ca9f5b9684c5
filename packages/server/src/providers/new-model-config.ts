import type { ModelConfig, ProviderType } from '@chatd/protocol';
import { knownModel } from './catalog/index.ts';
import type { ModelOptions } from './model-options.ts';

type Nullable<T> = { readonly [Key in keyof T]?: T[Key] | null | undefined };

/** Optional fields. Null means none, and skips the catalog. */
export interface GivenModelConfig extends Nullable<ModelOptions> {
  readonly model: string;
  readonly display_name?: string | undefined;
  readonly context_limit?: number | undefined;
  readonly compaction_threshold?: number | undefined;
}

export type NewModelConfig = Pick<ModelConfig, 'display_name' | 'compaction_threshold'> & {
  readonly context_limit: number | undefined;
  readonly options: Nullable<ModelOptions>;
};

const COMPACTION_THRESHOLD = 70;

/**
 * Completes a config from the catalog. Values are copied, so that a later catalog does not change existing configs. An
 * unknown context limit must be given.
 */
export function newModelConfig(type: ProviderType, given: GivenModelConfig): NewModelConfig {
  const { model, display_name, context_limit, compaction_threshold, ...options } = given;
  const known = knownModel(type, model);
  return {
    display_name: display_name ?? known?.name ?? model,
    context_limit: context_limit ?? known?.context_limit,
    compaction_threshold: compaction_threshold ?? COMPACTION_THRESHOLD,
    options: {
      ...options,
      ...(options.price === undefined && known?.price !== undefined && { price: known.price }),
      // Without a limit, Anthropic's package uses a very low one for unknown models.
      ...(options.max_output_tokens === undefined &&
        type === 'anthropic' &&
        known !== undefined && { max_output_tokens: known.max_output_tokens }),
    },
  };
}

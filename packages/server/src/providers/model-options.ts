import { type JsonObject, ModelConfig } from '@chatd/protocol';
import type { ModelSettings } from '@chatd/loop';
import type { z } from 'zod';

/** The options of a model config that only the model call reads, stored in one column. */
export const ModelOptions = ModelConfig.pick({
  max_output_tokens: true,
  temperature: true,
  top_p: true,
  top_k: true,
  presence_penalty: true,
  frequency_penalty: true,
  reasoning_effort: true,
  price: true,
  web_search: true,
  provider_options: true,
});
export type ModelOptions = z.infer<typeof ModelOptions>;

/** Merges changes: null removes, undefined keeps. */
export function mergedOptions(
  before: ModelOptions,
  change: { readonly [Key in keyof ModelOptions]?: ModelOptions[Key] | null | undefined },
): ModelOptions {
  const names = Object.keys(ModelOptions.shape) as (keyof ModelOptions)[];
  return Object.fromEntries(
    names
      .map((name) => [name, change[name] === undefined ? before[name] : change[name]] as const)
      .filter(([, value]) => value !== undefined && value !== null),
  );
}

export function settingsOf(config: {
  readonly context_limit: number;
  readonly compaction_threshold: number;
  readonly options: JsonObject;
}): ModelSettings {
  const { provider_options, ...options } = ModelOptions.parse(config.options);
  const { context_limit, compaction_threshold } = config;
  return {
    context_limit,
    compaction_threshold,
    ...options,
    ...(provider_options !== undefined && { provider_options: flattened(provider_options) }),
  };
}

/** The package sends unknown fields next to its own options. */
function flattened(options: JsonObject): JsonObject {
  const own = options['openaiCompatible'];
  if (own === null || typeof own !== 'object' || Array.isArray(own)) return options;
  const { extra_body, ...rest } = own;
  return { ...options, openaiCompatible: { ...rest, ...(extra_body as JsonObject | undefined) } };
}

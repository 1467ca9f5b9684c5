import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelConfig, ReasoningEffort } from '@chatd/protocol';
import type { Model } from './push-model.ts';

/** A configured model; the fields are those of the API's model config. */
export type ModelSettings = Partial<
  Pick<
    ModelConfig,
    | 'context_limit'
    | 'compaction_threshold'
    | 'max_output_tokens'
    | 'temperature'
    | 'top_p'
    | 'top_k'
    | 'presence_penalty'
    | 'frequency_penalty'
    | 'reasoning_effort'
    | 'price'
    | 'web_search'
    | 'provider_options'
  >
> & {
  /** The effort of the chat, within the model's maximum. */
  effort?: ReasoningEffort;
  /** Provider name in errors. Default: the name in its package. */
  provider_name?: string;
};

/** A model with its settings. */
export interface ConfiguredModel {
  model: Model;
  settings: ModelSettings;
}

export interface Limits {
  /** Timeout until the first part of a response. */
  startup_ms: number;
  /** Timeout between two parts. */
  silence_ms: number;
  /** Timeout of a whole summary. */
  summary_ms: number;
  /** Max attempts per history version. */
  max_attempts: number;
  /** Max steps per turn. */
  max_steps: number;
  /** Max concurrent tool calls of one response. */
  max_parallel_tools: number;
  /** Grace period in which a canceled tool can return its own result. */
  tool_grace_ms: number;
  /** Max total size of text, reasoning, calls and results of one response. A larger response fails the turn. */
  max_response_bytes: number;
  /** Max total size of the files of one response. */
  max_response_file_bytes: number;
  /** Max size of the arguments of one tool call. */
  max_argument_bytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  startup_ms: 60_000,
  silence_ms: 600_000,
  summary_ms: 90_000,
  max_attempts: 25,
  max_steps: 1_200,
  max_parallel_tools: 16,
  tool_grace_ms: 5_000,
  max_response_bytes: 2 * 1024 * 1024,
  max_response_file_bytes: 64 * 1024 * 1024,
  max_argument_bytes: 1024 * 1024,
};

export const DEFAULT_THRESHOLD = 70;

/** Options for the provider package, under the provider's name. */
export const optionsOf = (settings: ModelSettings): SharedV4ProviderOptions | undefined =>
  settings.provider_options as SharedV4ProviderOptions | undefined;

import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelConfig, ReasoningEffort } from '@chatd/protocol';

/** A model as it is configured; the fields are those of the API's model configuration. */
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
  /** What the chat asks for, within the model's own maximum. */
  effort?: ReasoningEffort;
  /** What errors call the provider. Default: the name that its package gives it. */
  provider_name?: string;
};

/** Any model of an AI SDK provider package, and how it is set up. */
export interface ConfiguredModel {
  model: LanguageModelV4;
  settings: ModelSettings;
}

export interface Limits {
  /** Until the first part of a response. */
  startup_ms: number;
  /** Between two parts. */
  silence_ms: number;
  /** For a whole summary. */
  summary_ms: number;
  /** For one history version. */
  max_attempts: number;
  /** In one turn. */
  max_steps: number;
  /** Tool calls of one response that run at the same time. The others wait. */
  max_parallel_tools: number;
  /** That a cancelled tool gets to end with its own words. */
  tool_grace_ms: number;
  /** Text, reasoning, calls and results of one response together. A longer response fails the turn. */
  max_response_bytes: number;
  /** Files of one response together. */
  max_response_file_bytes: number;
  /** Arguments of one tool call. */
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
  max_response_bytes: 8 * 1024 * 1024,
  max_response_file_bytes: 64 * 1024 * 1024,
  max_argument_bytes: 4 * 1024 * 1024,
};

export const DEFAULT_THRESHOLD = 70;

/** What the provider package takes, by the provider's name. */
export const optionsOf = (settings: ModelSettings): SharedV4ProviderOptions | undefined =>
  settings.provider_options as SharedV4ProviderOptions | undefined;

import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import { familyOf } from './family.ts';

/** Marks the position up to which the prompt is cached. */
export interface CacheMark {
  options: SharedV4ProviderOptions;
  /** A mark on a message of results would apply to each of them. */
  onLastResult: boolean;
}

const ANTHROPIC = { anthropic: { cacheControl: { type: 'ephemeral' } } };
const BEDROCK = { amazonBedrock: { cachePoint: { type: 'default' } } };

/** Anthropic models on Bedrock that reject cache marks. */
const UNCACHED = /claude-(?:v2|instant|3-haiku|3-sonnet|3-opus|3-5-sonnet-20240620)/;

/** Anthropic's models need marks wherever they run; others cache automatically or not at all. */
export function cacheMarkOf(provider: string, model: string): CacheMark | undefined {
  switch (familyOf(provider, model)) {
    case 'anthropic':
      return { options: ANTHROPIC, onLastResult: false };
    case 'openrouter':
      return model.startsWith('anthropic/')
        ? { options: ANTHROPIC, onLastResult: true }
        : undefined;
    case 'bedrock':
      return /anthropic\.claude/.test(model) && !UNCACHED.test(model)
        ? { options: BEDROCK, onLastResult: false }
        : undefined;
    case 'openai-responses':
    case 'google':
    case 'other':
      return undefined;
  }
}

import type { LanguageModelV4FinishReason } from '@ai-sdk/provider';

/**
 * Whether a finish was told by the provider. Some packages say one whenever a stream ends, also when the connection
 * broke: then there is no reason in the provider's own words. OpenRouter's even hands on the calls that were cut off,
 * with empty arguments.
 */
export function isToldFinish(
  { unified, raw }: LanguageModelV4FinishReason,
  provider: string,
): boolean {
  if (unified === 'interrupted') return false;
  if (raw !== undefined) return true;
  const isMadeUp = unified === 'error' || unified === 'other';
  return !isMadeUp && !(provider.startsWith('openrouter') && unified === 'tool-calls');
}

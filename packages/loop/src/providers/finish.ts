import type { LanguageModelV4FinishReason } from '@ai-sdk/provider';

/**
 * Whether the provider sent the finish reason. Some packages report one whenever a stream ends, even if the connection
 * was lost: then the raw reason is missing. OpenRouter's package even passes on cut-off calls with empty arguments.
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

import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** Whether the provider sent output. Packages start a stream with parts of their own. */
export function isHeard(part: LanguageModelV4StreamPart, provider: string): boolean {
  if (part.type === 'stream-start') return false;
  // Bedrock's package derives this part from the headers, long before the first event.
  return part.type !== 'response-metadata' || !provider.includes('bedrock');
}

import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** Whether the provider said something: packages begin a stream with words of their own. */
export function isHeard(part: LanguageModelV4StreamPart, provider: string): boolean {
  if (part.type === 'stream-start') return false;
  // Bedrock's package makes this one of the headers, which come long before the first event.
  return part.type !== 'response-metadata' || !provider.includes('bedrock');
}

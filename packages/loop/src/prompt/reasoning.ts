import type { LanguageModelV4ReasoningPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { HistoryMessage, HistoryReasoning } from '../history/message.ts';
import { type Conversion, isForeign } from './conversion.ts';

const has = (metadata: SharedV4ProviderMetadata | undefined, ...keys: string[]): boolean =>
  Object.values(metadata ?? {}).some((entry) =>
    keys.some((key) => typeof entry?.[key] === 'string' && entry[key] !== ''),
  );

/** OpenRouter's details are a list of signed texts and encrypted data. */
const hasDetails = (metadata: SharedV4ProviderMetadata | undefined): boolean => {
  const details = metadata?.['openrouter']?.['reasoning_details'];
  return Array.isArray(details) && details.length > 0;
};

/** Complete, with the proof that its provider requires. */
function isSigned(part: HistoryReasoning, to: Conversion, interrupted: boolean): boolean {
  switch (to.family) {
    case 'anthropic':
      return has(part.provider_metadata, 'signature', 'redactedData');
    case 'openai-responses':
      return (
        has(part.provider_metadata, 'reasoningEncryptedContent') ||
        (to.stored && has(part.provider_metadata, 'itemId'))
      );
    case 'google':
      return has(part.provider_metadata, 'thoughtSignature');
    case 'bedrock':
      return has(part.provider_metadata, 'signature', 'redactedData', 'redactedContent');
    case 'openrouter':
      return hasDetails(part.provider_metadata);
    case 'other':
      // Without signatures, complete reasoning is sent back unchanged.
      return !interrupted;
  }
}

/** Signed, redacted and encrypted reasoning arrives with empty text and is sent back. */
export function convertReasoning(
  part: HistoryReasoning,
  message: HistoryMessage,
  to: Conversion,
): LanguageModelV4ReasoningPart | undefined {
  // Another model of the same provider cannot verify the signature.
  if (isForeign(message, to) || message.meta?.model !== to.model) return undefined;
  if (part.text.trim() === '' && part.provider_metadata === undefined) return undefined;
  if (!isSigned(part, to, message.meta?.finish_reason === 'interrupted')) return undefined;
  return {
    type: 'reasoning',
    text: part.text,
    ...(part.provider_metadata && { providerOptions: part.provider_metadata }),
  };
}

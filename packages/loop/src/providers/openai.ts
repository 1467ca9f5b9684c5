import type {
  JSONObject,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { HistoryMessage } from '../history/message.ts';
import { lastStepIndex } from '../history/open-calls.ts';
import { familyOf } from './family.ts';

/** Azure's models read their options under their own name. */
const namespaceOf = (provider: string) => (provider.includes('azure') ? 'azure' : 'openai');

/** The provider is told to keep its responses, so that a follow-up may name one. */
export function isStored(provider: string, options: SharedV4ProviderOptions | undefined): boolean {
  if (familyOf(provider) !== 'openai-responses') return false;
  return (options?.[namespaceOf(provider)] ?? options?.['openai'])?.['store'] === true;
}

export function responseId(
  metadata: SharedV4ProviderMetadata | undefined,
  id: string | undefined,
): string | undefined {
  const stated = Object.values(metadata ?? {}).find((m) => typeof m?.['responseId'] === 'string');
  return (stated?.['responseId'] as string | undefined) ?? id;
}

export interface Chain {
  previousResponseId: string;
  /** The user messages that came since. */
  messages: readonly HistoryMessage[];
}

/**
 * A follow-up can name the last response instead of repeating the history, as long as nothing but user
 * messages came after it. Results of tools, a summary or another model end the chain.
 */
export function chainOf(
  messages: readonly HistoryMessage[],
  at: { provider: string; model: string },
): Chain | undefined {
  const index = lastStepIndex(messages);
  const meta = messages[index]?.meta;
  const since = messages.slice(index + 1);
  const previousResponseId = meta?.provider_response_id;
  if (previousResponseId === undefined || since.length === 0) return undefined;
  if (meta?.provider !== at.provider || meta.model !== at.model) return undefined;
  if (since.some((m) => m.role !== 'user' || m.meta?.summary !== undefined)) return undefined;
  return { previousResponseId, messages: since };
}

export function withOpenAIOptions(
  provider: string,
  options: SharedV4ProviderOptions | undefined,
  added: JSONObject,
): SharedV4ProviderOptions {
  const namespace = namespaceOf(provider);
  return { ...options, [namespace]: { ...options?.[namespace], ...added } };
}

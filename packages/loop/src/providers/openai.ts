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

/** What the provider stores of its responses. */
export interface Storage {
  /** Parts can be referenced by ID, unless the service is told not to store them. */
  stored: boolean;
  /** Storing was requested explicitly, so a follow-up may refer to a response instead of repeating the history. */
  chained: boolean;
}

export function storageOf(
  provider: string,
  options: SharedV4ProviderOptions | undefined,
  model = '',
): Storage {
  if (familyOf(provider, model) !== 'openai-responses') return { stored: false, chained: false };
  const store = (options?.[namespaceOf(provider)] ?? options?.['openai'])?.['store'];
  return { stored: store !== false, chained: store === true };
}

export function responseId(
  metadata: SharedV4ProviderMetadata | undefined,
  id: string | undefined,
): string | undefined {
  const stated = Object.values(metadata ?? {}).find((m) => typeof m?.['responseId'] === 'string');
  return (stated?.['responseId'] as string | undefined) ?? id;
}

interface Chain {
  previousResponseId: string;
  /** The user messages since then. */
  messages: readonly HistoryMessage[];
}

/**
 * A follow-up can refer to the last response instead of repeating the history, as long as only user messages came after
 * it. Tool results, a summary or another model end the chain.
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
  // A cut-off response cannot be continued by its ID.
  if (meta?.finish_reason !== 'stop') return undefined;
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

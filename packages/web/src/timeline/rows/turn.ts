import type { Message } from '@chatd/protocol';

/** What a turn has taken: from a message of the user until the chat waited for the next one. */
export interface TurnSummary {
  readonly steps: number;
  /** All that was read, with what came from the provider's cache … */
  readonly inputTokens: number;
  /** … which is this much of it. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Undefined when no price is known. */
  readonly costMicros: number | undefined;
  readonly runtimeMs: number;
  readonly endedAt: string;
  readonly modelConfigId: string | undefined;
  /** Another model than in the turn before. */
  readonly modelChanged: boolean;
  /** Up to here the chat can be forked. */
  readonly lastMessageId: number;
  /** The whole answer as it was written. */
  readonly answer: () => string;
}

export function summaryOf(
  messages: readonly Message[],
  modelBefore: string | undefined,
): TurnSummary {
  const said = messages.filter(({ role }) => role === 'assistant');
  const costs = messages.flatMap(({ cost_micros: cost }) => (cost === undefined ? [] : [cost]));
  const last = messages.at(-1);
  const modelConfigId = said.findLast(
    ({ model_config_id: id }) => id !== undefined,
  )?.model_config_id;
  return {
    steps: said.length,
    inputTokens: sum(messages, ({ usage }) => promptTokens(usage)),
    cachedTokens: sum(messages, ({ usage }) => usage?.cache_read_tokens ?? 0),
    outputTokens: sum(messages, ({ usage }) => usage?.output_tokens ?? 0),
    costMicros: costs.length === 0 ? undefined : costs.reduce((total, cost) => total + cost, 0),
    runtimeMs: sum(messages, ({ runtime_ms: ms }) => ms ?? 0),
    endedAt: last?.created_at ?? '',
    modelConfigId,
    modelChanged:
      modelBefore !== undefined && modelConfigId !== undefined && modelConfigId !== modelBefore,
    lastMessageId: last?.id ?? 0,
    answer: () => said.flatMap(textsOf).join('\n\n'),
  };
}

interface TokensRead {
  readonly input_tokens?: number | undefined;
  readonly cache_read_tokens?: number | undefined;
  readonly cache_creation_tokens?: number | undefined;
}

/** All that the model was given to read: providers count what is cached apart. */
export const promptTokens = (usage: TokensRead | undefined): number =>
  (usage?.input_tokens ?? 0) +
  (usage?.cache_read_tokens ?? 0) +
  (usage?.cache_creation_tokens ?? 0);

const sum = (messages: readonly Message[], of: (message: Message) => number): number =>
  messages.reduce((total, message) => total + of(message), 0);

/** The texts of a message, one after the other. */
export function textsOf({ content }: Pick<Message, 'content'>): string[] {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return text.trim() === '' ? [] : [text];
}

import type { Message } from '@chatd/protocol';
import { type ChangedFile, changedFiles } from './changed-files.ts';

/** The totals of a turn: from a user message until the chat waits for the next one. */
export interface TurnSummary {
  readonly steps: number;
  /** All input tokens, cached ones included. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Undefined when the price is unknown. */
  readonly costMicros: number | undefined;
  readonly runtimeMs: number;
  readonly endedAt: string;
  readonly modelConfigId: string | undefined;
  /** The model differs from the previous turn's. */
  readonly modelChanged: boolean;
  /** The user message; 0 if it is not loaded. */
  readonly questionId: number;
  /** The first message of the answer. */
  readonly answerId: number;
  /** The fork point. */
  readonly lastMessageId: number;
  /** The whole answer as Markdown. */
  readonly answer: () => string;
  readonly changed: () => readonly ChangedFile[];
}

export function summaryOf(
  messages: readonly Message[],
  modelBefore: string | undefined,
): TurnSummary {
  const answers = messages.filter(({ role }) => role === 'assistant');
  const costs = messages.flatMap(({ cost_micros: cost }) => (cost === undefined ? [] : [cost]));
  const last = messages.at(-1);
  let changed: readonly ChangedFile[] | undefined;
  const modelConfigId = answers.findLast(
    ({ model_config_id: id }) => id !== undefined,
  )?.model_config_id;
  return {
    steps: answers.length,
    inputTokens: sum(messages, ({ usage }) => promptTokens(usage)),
    cachedTokens: sum(messages, ({ usage }) => usage?.cache_read_tokens ?? 0),
    outputTokens: sum(messages, ({ usage }) => usage?.output_tokens ?? 0),
    costMicros: costs.length === 0 ? undefined : costs.reduce((total, cost) => total + cost, 0),
    runtimeMs: sum(messages, ({ runtime_ms: ms }) => ms ?? 0),
    endedAt: last?.created_at ?? '',
    modelConfigId,
    modelChanged:
      modelBefore !== undefined && modelConfigId !== undefined && modelConfigId !== modelBefore,
    questionId: messages[0]?.role === 'user' ? messages[0].id : 0,
    answerId: answers[0]?.id ?? 0,
    lastMessageId: last?.id ?? 0,
    answer: () => answers.flatMap(textsOf).join('\n\n'),
    changed: () => (changed ??= changedFiles(messages)),
  };
}

interface TokensRead {
  readonly input_tokens?: number | undefined;
  readonly cache_read_tokens?: number | undefined;
  readonly cache_creation_tokens?: number | undefined;
}

/** Providers report cached tokens separately. */
export const promptTokens = (usage: TokensRead | undefined): number =>
  (usage?.input_tokens ?? 0) +
  (usage?.cache_read_tokens ?? 0) +
  (usage?.cache_creation_tokens ?? 0);

const sum = (messages: readonly Message[], of: (message: Message) => number): number =>
  messages.reduce((total, message) => total + of(message), 0);

export function textsOf({ content }: Pick<Message, 'content'>): string[] {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return text.trim() === '' ? [] : [text];
}

import type { Message } from '@chatd/protocol';
import { promptTokens } from './rows/turn.ts';

export interface ContextUse {
  readonly used: number;
  readonly limit: number;
}

/** The context used by the last step, if the provider has reported it. */
export function contextUse(
  messages: readonly Message[],
  limitOfModel: number | undefined,
): ContextUse | undefined {
  const last = messages.findLast(({ role, usage }) => role === 'assistant' && usage !== undefined);
  const limit = last?.usage?.context_limit ?? limitOfModel;
  if (last === undefined || limit === undefined || limit <= 0) return undefined;
  return { used: promptTokens(last.usage) + (last.usage?.output_tokens ?? 0), limit };
}

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { HistoryMessage, LocalTool, TurnOutcome } from '@chatd/loop';
import type { Retry } from '@chatd/protocol';
import type { ChatRow } from '../chat/row.ts';

/** What a model is called for. */
export type CallPurpose = 'turn' | 'summary' | 'title';

export interface CallContext {
  readonly chat: Pick<ChatRow, 'id' | 'owner_id'>;
  readonly configId: string;
  /** Where the model is called; nobody but us sees more of it than the host. */
  readonly url?: string;
  readonly purpose: CallPurpose;
}

/** One turn of a chat, as it is watched from outside. */
export interface TurnWatch {
  /** The same model, observed. */
  model(model: LanguageModelV4, context: CallContext): LanguageModelV4;
  /** The same tool, observed. */
  tool(tool: LocalTool): LocalTool;
  stepCommitted(messages: readonly HistoryMessage[]): void;
  retrying(retry: Retry): void;
  /** The next model call leaves something out, or does it differently. */
  warned(warning: string): void;
  /** The error when the turn was given up without an outcome. */
  ended(outcome: TurnOutcome | Error): void;
}

/** Where the worker tells what it does: metrics, traces, the debug record. Nothing here may throw or wait. */
export interface Instruments {
  /** `attempt`: the number of its first call of the model. */
  turn(chat: ChatRow, attempt: number): TurnWatch;
  /** The same model, observed, for a call that belongs to no turn. */
  model(model: LanguageModelV4, context: CallContext): LanguageModelV4;
  /** Chats were taken that had waited since then. */
  acquired(waitingSince: readonly Date[]): void;
  leaseLost(chatId: string): void;
}

export const NO_INSTRUMENTS: Instruments = {
  turn: () => ({
    model: (model) => model,
    tool: (tool) => tool,
    stepCommitted: () => undefined,
    retrying: () => undefined,
    warned: () => undefined,
    ended: () => undefined,
  }),
  model: (model) => model,
  acquired: () => undefined,
  leaseLost: () => undefined,
};

import type { HistoryMessage, LocalTool, PushModel, TurnOutcome } from '@chatd/loop';
import type { Retry } from '@chatd/protocol';
import type { ChatRow } from '../chat/row.ts';

export type CallPurpose = 'turn' | 'summary' | 'title';

export interface CallContext {
  readonly chat: Pick<ChatRow, 'id' | 'owner_id'>;
  readonly configId: string;
  /** The URL of the provider. Only its host may be exposed. */
  readonly url?: string;
  readonly purpose: CallPurpose;
}

/** Observes one turn. */
export interface TurnWatch {
  /** Wraps the model. */
  model(model: PushModel, context: CallContext): PushModel;
  /** Wraps a tool. */
  tool(tool: LocalTool): LocalTool;
  stepCommitted(messages: readonly HistoryMessage[]): void;
  retrying(retry: Retry): void;
  /** The next model call is degraded: it leaves something out, or does it differently. */
  warned(warning: string): void;
  /** The outcome, or the error of a turn without one. */
  ended(outcome: TurnOutcome | Error): void;
}

/** Observers of the worker: metrics, traces, the debug record. Must not throw or wait. */
export interface Instruments {
  /** `attempt`: the number of the turn's first model call. */
  turn(chat: ChatRow, attempt: number): TurnWatch;
  /** Wraps the model for a call outside of turns. */
  model(model: PushModel, context: CallContext): PushModel;
  /** Chats were acquired that had waited since these times. */
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

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { Failure, HistoryMessage, LocalTool, TurnOutcome } from '@chatd/loop';
import type { Retry } from '@chatd/protocol';
import type { ChatRow } from '../chat/row.ts';
import type { CallContext } from '../worker/instruments.ts';

/** One that watches what workers do. Each of its methods is quick; what one throws is logged and harms nothing. */
export interface Observer {
  turn?(chat: ChatRow): TurnObserver;
  /** A call that belongs to no turn. */
  call?(call: ModelCall): CallObserver | undefined;
  acquired?(waitingSince: readonly Date[]): void;
  leaseLost?(chatId: string): void;
}

export interface TurnObserver {
  call?(call: ModelCall): CallObserver | undefined;
  tool?(tool: LocalTool): LocalTool;
  committed?(messages: readonly HistoryMessage[]): void;
  retrying?(retry: Retry): void;
  ended?(outcome: TurnOutcome | Error): void;
}

export interface CallObserver {
  part?(part: LanguageModelV4StreamPart): void;
  /** Exactly once. */
  ended(end: CallEnd): void;
}

/** A model is about to be called. */
export interface ModelCall extends CallContext {
  /** As the model calls itself: `anthropic.messages`. */
  readonly provider: string;
  readonly model: string;
  /** The first is 1; counted up while the same step is tried again. */
  readonly attempt: number;
  readonly options: LanguageModelV4CallOptions;
  /** What the loop left out of it or did differently. */
  readonly warnings: readonly string[];
}

export type CallEnd = CallFacts & CallResult;

export type CallResult =
  | { readonly how: 'completed' }
  | { readonly how: 'failed'; readonly failure: Failure; readonly error: unknown }
  /** By ourselves, and not because anything was wrong with it; `why` is the name of the reason. */
  | { readonly how: 'stopped'; readonly why: string };

/** What is known at the end, whichever it was. */
export interface CallFacts {
  /** Until the first part that holds something of the answer. */
  readonly firstTokenMs?: number;
  readonly durationMs: number;
  /** What the provider's package left out of the request. */
  readonly warnings?: readonly string[];
  readonly usage?: LanguageModelV4Usage;
  readonly finish?: LanguageModelV4FinishReason;
  readonly responseId?: string;
  readonly responseModel?: string;
}

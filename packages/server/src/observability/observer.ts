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

/** Observes the work of workers. Methods must return quickly. Errors are logged and have no other effect. */
export interface Observer {
  turn?(chat: ChatRow): TurnObserver;
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
  /** Called exactly once. */
  ended(end: CallEnd): void;
}

export interface ModelCall extends CallContext {
  /** The model's own provider id: `anthropic.messages`. */
  readonly provider: string;
  readonly model: string;
  /** Starts at 1 and grows with each retry of the same step. */
  readonly attempt: number;
  readonly options: LanguageModelV4CallOptions;
  /** What the loop changed or omitted in the request. */
  readonly warnings: readonly string[];
}

export type CallEnd = CallFacts & CallResult;

export type CallResult =
  | { readonly how: 'completed' }
  | { readonly how: 'failed'; readonly failure: Failure; readonly error: unknown }
  /** Canceled by chatd, not because of a failure. `why` is the name of the reason. */
  | { readonly how: 'stopped'; readonly why: string };

/** What is known at the end of a call, whatever the result. */
export interface CallFacts {
  /** Time to the first content part. */
  readonly firstTokenMs?: number;
  readonly durationMs: number;
  /** What the provider's package omitted from the request. */
  readonly warnings?: readonly string[];
  readonly usage?: LanguageModelV4Usage;
  readonly finish?: LanguageModelV4FinishReason;
  readonly responseId?: string;
  readonly responseModel?: string;
}

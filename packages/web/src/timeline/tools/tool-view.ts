import type { AwaitedCall, ToolCallPart, ToolResultPart } from '@chatd/protocol';
import type { ChatStore } from '../../state/chat/chat-store.ts';

/**
 * `writing`: its arguments are still being said · `running` · `awaiting`: a person or a client's program has to answer ·
 * `done` · `failed` · `interrupted`: the turn ended before it had a result.
 */
export type ToolState = 'writing' | 'running' | 'awaiting' | 'done' | 'failed' | 'interrupted';

/** One call with what became of it, committed or live: what every card is drawn from. */
export interface ToolView {
  readonly call: ToolCallPart;
  /** Live it may hold `result_delta`, the output so far. */
  readonly result: ToolResultPart | undefined;
  readonly state: ToolState;
  /** What is waited for, while `awaiting`. */
  readonly awaited: AwaitedCall | undefined;
  readonly startedAt: number | undefined;
  /** Once it is over. */
  readonly durationMs: number | undefined;
}

export interface ToolCardProps {
  readonly view: ToolView;
  readonly chatId: string;
  readonly store: ChatStore;
}

import type { AwaitedCall, ToolCallPart, ToolResultPart } from '@chatd/protocol';
import type { ChatStore } from '../../state/chat/chat-store.ts';

/**
 * `writing`: its arguments are streaming · `running` · `awaiting`: needs an answer from the user or a client · `done` ·
 * `failed` · `interrupted`: the turn ended before it had a result.
 */
export type ToolState = 'writing' | 'running' | 'awaiting' | 'done' | 'failed' | 'interrupted';

/** A call with its result, committed or live: the input of every card. */
export interface ToolView {
  readonly call: ToolCallPart;
  /** While live it may have `result_delta`, the output so far. */
  readonly result: ToolResultPart | undefined;
  readonly state: ToolState;
  /** The pending request, while `awaiting`. */
  readonly awaited: AwaitedCall | undefined;
  readonly startedAt: number | undefined;
  /** Set when it has ended. */
  readonly durationMs: number | undefined;
}

export interface ToolCardProps {
  readonly view: ToolView;
  readonly chatId: string;
  readonly store: ChatStore;
}

import type { AwaitedCall, ToolCallPart, ToolResultPart } from '@chatd/protocol';
import type { ChatStore } from '../../state/chat/chat-store.ts';

/**
 * `writing`: its arguments are streaming · `running` · `awaiting`: needs an answer from the user or a client ·
 * `approved`: waits for the decisions on other calls · `done` · `failed`: also a command with a nonzero exit code ·
 * `denied`: by the user · `interrupted`: the turn ended before it had a result.
 */
export type ToolState =
  | 'writing'
  | 'running'
  | 'awaiting'
  | 'approved'
  | 'done'
  | 'failed'
  | 'denied'
  | 'interrupted';

/** A call with its result, committed or live: the input of every card. */
export interface ToolView {
  readonly call: ToolCallPart;
  /** While live it may have `result_delta`, the output so far. */
  readonly result: ToolResultPart | undefined;
  readonly state: ToolState;
  /** The pending request, while `awaiting`. */
  readonly awaited: AwaitedCall | undefined;
  /** Without the time that it waited for an approval. Undefined: unknown. */
  readonly startedAt: number | undefined;
  /** Set when it has ended. */
  readonly durationMs: number | undefined;
}

export interface ToolCardProps {
  readonly view: ToolView;
  readonly chatId: string;
  readonly store: ChatStore;
}

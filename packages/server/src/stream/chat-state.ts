import type {
  AwaitedCall,
  ChatError,
  ChatStatus,
  DecidedCall,
  QueuedMessage,
  Retry,
} from '@chatd/protocol';
import { rememberedPattern } from '../approvals/remembered-rule.ts';
import { isAwaited } from '../chat/open-calls.ts';
import type { StoredPart } from '../chat/row.ts';
import { presentError, presentRetry } from '../present/chat.ts';
import { presentQueuedMessage } from '../present/queued-message.ts';
import type { CommittedStep } from '../store/change.ts';
import type { ChatSnapshot } from '../store/queries/chats/snapshot.ts';
import type { LiveTag } from './live/part-buffer.ts';
import type { StreamCursor } from './stream-cursor.ts';

/** A chat as viewers see it, without its messages. */
export interface ChatState {
  readonly version: number;
  readonly history_version: number;
  readonly attempt: number;
  readonly reset: number;
  /** The newest message. */
  readonly message: number;
  readonly queue: number;
  readonly queued: readonly QueuedMessage[];
  readonly retry: number;
  readonly retrying: Retry | null;
  readonly status: ChatStatus;
  readonly detail: number;
  readonly error: ChatError | null;
  readonly calls: readonly AwaitedCall[];
  readonly decided: readonly DecidedCall[];
  readonly worker_id: string | null;
  readonly updated_at: Date;
}

export function chatState(
  look: ChatSnapshot,
  message: number,
  queued: readonly QueuedMessage[],
): ChatState {
  const { status } = look;
  return {
    version: look.snapshot_version,
    history_version: look.history_version,
    attempt: look.attempt,
    reset: look.reset_version,
    message,
    queue: look.queue_version,
    queued,
    retry: look.retry_version,
    retrying: look.retry === null ? null : presentRetry(look.retry),
    status,
    detail: detailOf(look),
    error: status === 'error' && look.last_error !== null ? presentError(look.last_error) : null,
    calls: look.asking === null ? [] : awaitedCalls(look, look.asking),
    decided: look.open_calls.flatMap(({ tool_call_id, decision }) =>
      decision === undefined ? [] : [{ tool_call_id, decision }],
    ),
    worker_id: look.worker_id,
    updated_at: look.updated_at,
  };
}

/** The state after a step that a runner committed, which also clears a retry. */
export function stateAfter(
  state: ChatState,
  {
    version,
    status,
    step,
    message = state.message,
  }: { version: number; status: ChatStatus; step: CommittedStep; message: number | undefined },
): ChatState {
  return {
    ...state,
    version,
    status,
    message,
    history_version: step.history_version,
    attempt: step.attempt,
    retry: state.retrying === null ? state.retry : version,
    retrying: null,
    detail: 0,
    error: null,
    calls: [],
    decided: [],
    updated_at: new Date(),
  };
}

export const queuedIn = (queue: NonNullable<ChatSnapshot['queue']>): QueuedMessage[] =>
  queue.map((row) => presentQueuedMessage({ ...row, created_at: new Date(row.created_at) }));

/** Distinguishes an error from the next one, and a required action from the next one. */
function detailOf({
  status,
  active_at,
  history_version,
  last_error,
  open_calls,
}: ChatSnapshot): number {
  if (status === 'error' && last_error !== null) return active_at.getTime();
  if (status !== 'requires_action') return 0;
  // A decision on one of several calls adds no message, but leaves fewer calls to decide on.
  return history_version * MOST_CALLS + open_calls.filter((call) => !isAwaited(call)).length;
}

/** More calls than a response can have, and few enough for a safe integer. */
const MOST_CALLS = 1000;

function awaitedCalls({ open_calls }: ChatSnapshot, asking: readonly StoredPart[]): AwaitedCall[] {
  return open_calls.filter(isAwaited).flatMap(({ tool_call_id, tool_name, kind }) => {
    if (kind === null) return [];
    const call = asking.find(
      (part) => part.type === 'tool-call' && part.tool_call_id === tool_call_id,
    );
    const args = call?.type === 'tool-call' ? (call.args ?? null) : null;
    const pattern = kind === 'approval' ? rememberedPattern({ tool_name, args }) : undefined;
    return [{ tool_call_id, tool_name, args, kind, ...(pattern !== undefined && { pattern }) }];
  });
}

/** The cursor of a client that has seen all of it. */
export const cursorAt = (state: ChatState, live: StreamCursor['live']): StreamCursor => ({
  version: state.version,
  reset: state.reset,
  message: state.message,
  queue: state.queue,
  retry: state.retry,
  status: state.status,
  detail: state.detail,
  live,
});

/**
 * Live parts relative to the committed state: parts of an attempt that was committed, failed or abandoned are void; parts
 * of an attempt that began later are ahead.
 */
export function standing(state: ChatState, live: LiveTag): 'current' | 'void' | 'ahead' {
  const { history_version, attempt } = live;
  if (history_version > state.history_version) return 'ahead';
  if (history_version < state.history_version || attempt < state.attempt) return 'void';
  if (attempt > state.attempt) return 'ahead';
  const busy = state.status === 'running' || state.status === 'interrupting';
  const failed = attempt > 0 && state.retrying !== null;
  return busy && !failed ? 'current' : 'void';
}

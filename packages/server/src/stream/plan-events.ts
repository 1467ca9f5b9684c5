import type { ChatEvent, Message } from '@chatd/protocol';
import type { ChatState } from './chat-state.ts';
import type { LiveEntry, LiveTag } from './live/part-buffer.ts';
import type { StreamCursor } from './stream-cursor.ts';

type Payload<E> = E extends ChatEvent ? Omit<E, 'chat_id' | 'cursor'> : never;

/** An event without the chat and the cursor. */
export type EventPayload = Payload<ChatEvent>;

/** An event, and the cursor of a client that has received it. */
export interface PlannedEvent {
  readonly event: EventPayload;
  readonly position: StreamCursor;
}

export interface Plan {
  readonly events: readonly PlannedEvent[];
  readonly position: StreamCursor;
}

/** No turn is running. */
export const STOPPED: ReadonlySet<StreamCursor['status']> = new Set([
  'waiting',
  'error',
  'requires_action',
]);

/** The live parts to show. `unknown` keeps those that are shown. */
export type Preview = LiveTag | null | 'unknown';

/**
 * The messages that a client has not seen. After an edit, `messages` are those after `from`. The status is sent again
 * after a whole turn that the client has not seen, although it is the same as before: clients wait for it.
 */
export function planMessages(
  position: StreamCursor,
  state: Pick<ChatState, 'version' | 'reset' | 'status'>,
  messages: readonly Message[],
  from = 0,
): Plan {
  const plan = new Planning({ ...position, version: state.version });
  const turn = STOPPED.has(state.status) ? { status: null } : {};
  if (state.reset > position.reset) {
    plan.add({ type: 'history_reset' }, { reset: state.reset, message: from, ...turn });
  }
  for (const message of messages) {
    const begins = message.role === 'user';
    plan.add({ type: 'message', message }, { message: message.id, ...(begins && turn) });
  }
  return plan;
}

/** The other changes that a client has not seen, once it has all messages. */
export function planState(position: StreamCursor, state: ChatState, preview: Preview): Plan {
  const plan = new Planning({ ...position, version: state.version });
  if (state.queue !== position.queue) {
    plan.add({ type: 'queue_update', queued_messages: [...state.queued] }, { queue: state.queue });
  }
  const { live } = position;
  if (live !== null && preview !== 'unknown' && preview?.tag !== live.tag) {
    plan.add({ type: 'preview_reset' }, { live: null });
  }
  if (state.status !== position.status) {
    plan.add({ type: 'status', status: state.status }, { status: state.status, detail: 0 });
  }
  if (state.retry !== position.retry) {
    if (state.retrying === null) plan.move({ retry: state.retry });
    else plan.add({ type: 'retry', ...state.retrying }, { retry: state.retry });
  }
  if (state.detail !== plan.position.detail) {
    const { detail } = state;
    if (state.error !== null) plan.add({ type: 'error', error: state.error }, { detail });
    else if (state.status === 'requires_action') {
      plan.add(
        {
          type: 'action_required',
          tool_calls: [...state.calls],
          ...(state.decided.length > 0 && { decided: [...state.decided] }),
        },
        { detail },
      );
    } else plan.move({ detail });
  }
  return plan;
}

export function planParts(
  position: StreamCursor,
  live: LiveTag,
  entries: readonly LiveEntry[],
): Plan {
  const { history_version, attempt } = live;
  const plan = new Planning(position);
  for (const { from, to, role, part } of entries) {
    plan.add(
      {
        type: 'message_part',
        role,
        part,
        history_version,
        attempt,
        ...(from !== to && { from_seq: from }),
        seq: to,
      },
      { live: { ...live, seq: to } },
    );
  }
  return plan;
}

class Planning implements Plan {
  readonly events: PlannedEvent[] = [];
  position: StreamCursor;

  constructor(position: StreamCursor) {
    this.position = position;
  }

  add(event: EventPayload, seen: Partial<StreamCursor>): void {
    this.move(seen);
    this.events.push({ event, position: this.position });
  }

  move(seen: Partial<StreamCursor>): void {
    this.position = { ...this.position, ...seen };
  }
}

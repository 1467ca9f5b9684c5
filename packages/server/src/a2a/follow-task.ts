import type { Message } from '@chatd/protocol';
import type { TurnRef } from '../protocols/turn-ref.ts';
import { encodedStream, followTurn } from '../protocols/turn-stream.ts';
import type { EventFrame } from '../stream/event-frame.ts';
import type { PreparedStream } from '../stream/streams.ts';
import type { StreamResponse } from './objects.ts';
import { TaskTurn } from './task-turn.ts';

/** Where the stream of a task comes from. */
export interface TaskSource {
  readonly joining: PreparedStream;
  readonly origin: string;
  /** Undefined: the stream is the response to a request, which tells. */
  readonly at?: TurnRef;
}

/** The response to a streamed request: a created chat, or a message that was sent or queued. */
interface ResponseEvent {
  readonly chat_id: string;
  readonly body: { readonly message?: Message; readonly queued_message?: { readonly id: number } };
}

/** Reads the stream of a chat. The first update is the task with everything that is committed. */
class TaskReader {
  readonly #origin: string;
  #turn: TaskTurn | undefined;
  #isCurrent = false;

  constructor({ origin, at }: TaskSource) {
    this.#origin = origin;
    if (at !== undefined) this.#turn = new TaskTurn(at.chatId, origin, at.start);
  }

  get turn(): TaskTurn | undefined {
    return this.#isCurrent ? this.#turn : undefined;
  }

  read(frame: EventFrame): readonly StreamResponse[] {
    this.#turn ??= this.#begin(frame);
    const turn = this.#turn;
    const updates = frame.payloads.flatMap((event) => turn.take(event));
    if (this.#isCurrent) return updates;
    // The status follows all messages. What else describes it is in the same frame.
    this.#isCurrent = turn.isOver || frame.payloads.some(({ type }) => type === 'status');
    return this.#isCurrent ? [{ task: turn.snapshot }] : [];
  }

  #begin({ events }: EventFrame): TaskTurn {
    const { chat_id, body } = JSON.parse(events[0]?.json ?? '') as ResponseEvent;
    const { message, queued_message: queued } = body;
    const start = queued && ({ kind: 'queued', id: queued.id } as const);
    const turn = new TaskTurn(chat_id, this.#origin, start);
    // The stream starts after it.
    if (message !== undefined) turn.take({ type: 'message', message });
    return turn;
  }
}

/** The stream of a task until it is over or needs input. */
export function taskStream(
  source: TaskSource,
  encode: (update: StreamResponse) => string,
): PreparedStream {
  const reader = new TaskReader(source);
  return encodedStream(source.joining, {
    // A queued task waits as long as the one before it needs input.
    canEndEarly: true,
    get over() {
      return reader.turn?.hasStopped === true;
    },
    take: (frame) => reader.read(frame).map((update) => ({ json: encode(update) })),
  });
}

/** Follows a task until `isEnough`, or until the stream ends. Undefined: the stream has ended before it was read. */
export async function followTask(
  source: TaskSource,
  isEnough: (turn: TaskTurn) => boolean,
  onGone?: (leave: () => void) => void,
): Promise<TaskTurn | undefined> {
  const reader = new TaskReader(source);
  const read = (frame: EventFrame) => {
    reader.read(frame);
    return reader.turn !== undefined && isEnough(reader.turn);
  };
  await followTurn(source.joining, read, onGone);
  return reader.turn;
}

import type { AwaitedCall, ChatStatus, Message } from '@chatd/protocol';
import type { EventPayload } from '../stream/plan-events.ts';
import type { UiChunk, UserPart } from './chunk.ts';
import { encodeTurnCursor, type TurnCursor, replyId } from './turn-cursor.ts';
import { fileUrl, UiStep } from './ui-step.ts';
import { TurnTotals } from './turn-metadata.ts';

export interface UiTurnOptions {
  readonly chatId: string;
  /** The message that begins the turn, or its id in the queue. */
  readonly begins: { readonly message: number } | { readonly queued: number };
  /** Steps that the client has begun to read. The last one is sent again. */
  readonly steps: number;
  /** Whether the client declared this tool. */
  readonly isKnown: (toolName: string) => boolean;
  /** Another program answers the calls of dynamic tools, so the stream continues past them. */
  readonly followTools: boolean;
}

/** A chunk, and the cursor of a client that has received it. */
export interface PlacedChunk {
  readonly chunk: UiChunk;
  readonly place: string;
}

/** Translates the events of one turn into the AI SDK's UI message stream. */
export class UiTurn {
  readonly #options: UiTurnOptions;
  readonly #totals: TurnTotals;
  #turn: number | undefined;
  #steps = 0;
  #step: UiStep | undefined;
  /** The role of the newest message. A user message after tool results steers the same turn. */
  #last: Message['role'] | undefined;
  #interrupted = false;
  #failed = false;
  #muted: boolean;
  #out: PlacedChunk[] = [];
  /** The stream is complete. */
  over = false;

  constructor(options: UiTurnOptions) {
    this.#options = options;
    this.#totals = new TurnTotals(options.chatId);
    this.#muted = options.steps > 0;
  }

  take(event: EventPayload): PlacedChunk[] {
    this.#out = [];
    if (!this.over) this.#take(event);
    return this.#out;
  }

  #take(event: EventPayload): void {
    switch (event.type) {
      case 'message':
        return this.#message(event.message);
      case 'message_part': {
        if (this.#turn === undefined) return;
        // Tool output belongs to the step with the call.
        const step = event.role === 'tool' ? this.#step : this.#speaking();
        return this.#emit(...(step?.live(event.part) ?? []));
      }
      case 'preview_reset':
        // The live parts were committed, unless the response was not.
        if (this.#step?.committed === false) this.#emit(...this.#step.void());
        return;
      case 'status':
        return this.#status(event.status);
      case 'action_required':
        return this.#asked(event.tool_calls);
      case 'error':
        if (this.#failed) this.#fail(event.error.message);
        return;
      case 'retry': {
        const { type: _, ...data } = event;
        if (this.#turn === undefined) return;
        return this.#emit({ type: 'data-retry', transient: true, data });
      }
      case 'history_reset':
        if (this.#turn === undefined) return;
        this.#emit({ type: 'abort', reason: 'An earlier message was edited.' });
        return this.#finish('interrupted');
      case 'queue_update':
      case 'viewers':
      case 'ping':
        return;
    }
  }

  #message(message: Message): void {
    if (this.#turn === undefined) {
      if (message.role !== 'user' || !this.#isBeginning(message)) return;
      this.#turn = message.id;
    } else if (message.role === 'user') {
      if (this.#last !== 'tool') return this.#finish('stop');
      this.#emit(steering(message));
    } else if (message.role === 'assistant') {
      this.#emit(...this.#speaking().commit(message));
      this.#totals.add(message);
      this.#emit({ type: 'message-metadata', messageMetadata: this.#totals.metadata });
    } else if (message.role === 'tool') {
      this.#emit(...(this.#step?.results(message) ?? []));
    }
    this.#last = message.role;
    if (message.id === this.#turn) this.#start();
  }

  #isBeginning({ id, queued_message_id }: Message): boolean {
    const { begins } = this.#options;
    return 'message' in begins ? id === begins.message : queued_message_id === begins.queued;
  }

  #start(): void {
    const messageId = replyId(this.#turn ?? 0);
    this.#write({ type: 'start', messageId, messageMetadata: this.#totals.metadata });
  }

  /** The current step. After a committed response, a new one. */
  #speaking(): UiStep {
    if (this.#step !== undefined && !this.#step.committed) return this.#step;
    this.#closeStep();
    this.#steps += 1;
    this.#step = new UiStep(this.#steps, this.#options.isKnown);
    if (this.#muted && this.#steps >= this.#options.steps) {
      // The client had begun to read this step.
      this.#muted = false;
      this.#emit({ type: this.#steps === this.#options.steps ? 'reset-step' : 'start-step' });
    } else {
      this.#emit({ type: 'start-step' });
    }
    return this.#step;
  }

  #closeStep(): void {
    if (this.#step !== undefined) this.#emit({ type: 'finish-step' });
    this.#step = undefined;
  }

  #status(status: ChatStatus): void {
    if (this.#turn === undefined) {
      // The message was deleted from the queue, or the chat failed before its turn.
      if (status === 'waiting' || status === 'error') this.over = true;
      return;
    }
    this.#failed = status === 'error';
    if (status === 'interrupting') this.#interrupted = true;
    if (status !== 'waiting') return;
    if (this.#interrupted) this.#emit({ type: 'abort', reason: 'The turn was interrupted.' });
    this.#finish(this.#interrupted ? 'interrupted' : 'stop');
  }

  #asked(calls: readonly AwaitedCall[]): void {
    if (this.#turn === undefined) return;
    const approvals = calls.filter(({ kind }) => kind === 'approval');
    this.#muted = false;
    for (const { tool_call_id: id } of approvals) {
      this.#emit({ type: 'tool-approval-request', approvalId: id, toolCallId: id });
    }
    const forOthers = this.#options.followTools && calls.every(({ kind }) => kind === 'dynamic');
    if (!forOthers) this.#finish('tool-calls');
  }

  #fail(errorText: string): void {
    this.#muted = false;
    this.#emit({ type: 'error', errorText });
    this.over = true;
  }

  #finish(finishReason: 'stop' | 'tool-calls' | 'interrupted'): void {
    this.#muted = false;
    this.#closeStep();
    this.#emit({ type: 'finish', finishReason, messageMetadata: this.#totals.metadata });
    this.over = true;
  }

  #emit(...chunks: readonly UiChunk[]): void {
    if (!this.#muted) for (const chunk of chunks) this.#write(chunk);
  }

  #write(chunk: UiChunk): void {
    // The cursor never goes back behind what the client had read when it connected.
    const steps = Math.max(this.#steps, this.#options.steps);
    const place: TurnCursor = { turn: this.#turn ?? 0, steps };
    this.#out.push({ chunk, place: encodeTurnCursor(place) });
  }
}

function steering({ id, content }: Message): UiChunk {
  const parts = content.flatMap((part): UserPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (part.type !== 'file') return [];
    const file = { type: 'file' as const, url: fileUrl(part.file_id), mediaType: part.media_type };
    return [part.name === undefined ? file : { ...file, filename: part.name }];
  });
  return { type: 'steering-message', id: String(id), parts };
}

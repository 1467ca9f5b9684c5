import type { AwaitedCall, ChatEvent, ChatStatus, Message } from '@chatd/protocol';
import type { UiChunk, UserPart } from './chunk.ts';
import { encodePlace, type Place, replyId } from './place.ts';
import { fileUrl, Step } from './step.ts';
import { TurnTotals } from './turn-metadata.ts';

export interface UiTurnOptions {
  readonly chatId: string;
  /** The message that begins the turn, or the place of the queue that it will come from. */
  readonly begins: { readonly message: number } | { readonly queued: number };
  /** How many steps the client has begun to read; it gets the last of them again, whole. */
  readonly steps: number;
  /** The client declared this tool, and knows it by its name. */
  readonly isKnown: (toolName: string) => boolean;
  /** Another program answers the calls of the client's tools: the turn goes on without this client. */
  readonly followTools: boolean;
}

/** A chunk, and the place of whoever has it. */
export interface PlacedChunk {
  readonly chunk: UiChunk;
  readonly place: string;
}

/** One turn of a chat, from the events of its stream, as the AI SDK's front ends read it. */
export class UiTurn {
  readonly #options: UiTurnOptions;
  readonly #totals: TurnTotals;
  #turn: number | undefined;
  #steps = 0;
  #step: Step | undefined;
  /** The role of the newest message: a message of the user behind results of tools steers the same turn. */
  #last: Message['role'] | undefined;
  #interrupted = false;
  #failed = false;
  #muted: boolean;
  #out: PlacedChunk[] = [];
  /** Nothing follows. */
  over = false;

  constructor(options: UiTurnOptions) {
    this.#options = options;
    this.#totals = new TurnTotals(options.chatId);
    this.#muted = options.steps > 0;
  }

  take(event: ChatEvent): PlacedChunk[] {
    this.#out = [];
    if (!this.over) this.#take(event);
    return this.#out;
  }

  #take(event: ChatEvent): void {
    switch (event.type) {
      case 'message':
        return this.#message(event.message);
      case 'message_part': {
        if (this.#turn === undefined) return;
        // Tools put out within the step that called them.
        const step = event.role === 'tool' ? this.#step : this.#speaking();
        return this.#emit(...(step?.live(event.part) ?? []));
      }
      case 'preview_reset':
        // What was shown was committed, unless its response was not.
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
        const { type: _, chat_id: __, cursor: ___, ...data } = event;
        if (this.#turn === undefined) return;
        return this.#emit({ type: 'data-retry', transient: true, data });
      }
      case 'history_reset':
        if (this.#turn === undefined) return;
        this.#emit({ type: 'abort', reason: 'An earlier message was edited.' });
        return this.#finish('interrupted');
      case 'queue_update':
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

  /** The step that the model speaks in; behind one that was committed, a new one. */
  #speaking(): Step {
    if (this.#step !== undefined && !this.#step.committed) return this.#step;
    this.#closeStep();
    this.#steps += 1;
    this.#step = new Step(this.#steps, this.#options.isKnown);
    if (this.#muted && this.#steps >= this.#options.steps) {
      // The client began to read this step: it begins it again.
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
      // The message was taken out of the queue, or the chat failed before its turn.
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
    // What the client had read when it came, it has read, also if it goes again at once.
    const steps = Math.max(this.#steps, this.#options.steps);
    const place: Place = { turn: this.#turn ?? 0, steps };
    this.#out.push({ chunk, place: encodePlace(place) });
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

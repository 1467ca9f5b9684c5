import type { AwaitedCall, Message } from '@chatd/protocol';
import { textOf } from '../protocols/part-text.ts';
import { addUsage, allInputTokens, type TurnUsage } from '../protocols/turn-usage.ts';
import type { EventPayload } from '../stream/plan-events.ts';
import type { AgUiEvent } from './events.ts';
import { interruptOf } from './interrupts.ts';
import { StepEvents } from './step-events.ts';

const PROTOCOL_VERSION = '1.0';

/** The client gets the messages of the chat up to and including this one. */
export interface Snapshot {
  readonly upTo: number;
  /** The ids of reasoning that the run has sent. */
  readonly reasoning: readonly string[];
}

export interface RunStart {
  readonly chatId: string;
  readonly threadId: string;
  readonly runId: string;
  /** The last message before the stream. */
  readonly after: number;
  /** The run begins with this message, which is queued. */
  readonly queued: number | undefined;
  /** Messages that the client has sent with this request, by id and by their id in the queue. */
  readonly own: ReadonlySet<number>;
  /** Calls whose results the client has. */
  readonly results: ReadonlyMap<string, string>;
  /** The client has other messages than the chat. */
  readonly isStale: boolean;
  /** The last turn was interrupted. */
  readonly interrupted: boolean;
}

/** Translates the events of a chat into the events of one run. */
export class RunEvents {
  readonly #start: RunStart;
  #begun: boolean;
  /** The last committed message. */
  #last: number;
  #step: StepEvents | undefined;
  #steps = 0;
  #stepName: string | undefined;
  #interrupted: boolean;
  #failed = false;
  #usage: TurnUsage | undefined;
  readonly #reasoning = new Set<string>();
  #out: (AgUiEvent | Snapshot)[] = [];
  /** The run has ended. */
  over = false;

  constructor(start: RunStart) {
    this.#start = start;
    this.#begun = start.queued === undefined;
    this.#last = start.after;
    this.#interrupted = start.interrupted;
  }

  /** The queued message of a run that has not begun. */
  get waitsFor(): number | undefined {
    return this.#begun ? undefined : this.#start.queued;
  }

  start(): (AgUiEvent | Snapshot)[] {
    this.#out = [];
    const { chatId, threadId, runId, isStale } = this.#start;
    this.#add('RUN_STARTED', {
      threadId,
      runId,
      protocolVersion: PROTOCOL_VERSION,
      metadata: { chatd: { chat_id: chatId } },
    });
    if (isStale && this.#begun) this.#snapshot();
    return this.#out;
  }

  take(event: EventPayload): (AgUiEvent | Snapshot)[] {
    this.#out = [];
    if (!this.over) this.#take(event);
    return this.#out;
  }

  #take(event: EventPayload): void {
    switch (event.type) {
      case 'message':
        return this.#message(event.message);
      case 'message_part': {
        if (!this.#begun) return;
        // Tool output belongs to the step with the call.
        const step = event.role === 'tool' ? this.#step : this.#speaking();
        return this.#emit(step?.live(event.part) ?? []);
      }
      case 'preview_reset':
        if (this.#step === undefined || this.#step.isCommitted) return;
        this.#emit(this.#step.void());
        return this.#snapshotIfStale();
      case 'status':
        return this.#status(event.status);
      case 'action_required':
        return this.#await(event.tool_calls);
      case 'error':
        return this.#failed ? this.#fail(event.error.kind, event.error.message) : undefined;
      case 'retry': {
        const { type: _, ...value } = event;
        return this.#begun ? this.#add('CUSTOM', { name: 'chatd.retry', value }) : undefined;
      }
      case 'history_reset':
        return this.#fail(
          'history_changed',
          'An earlier message of the chat was changed. Run the agent again for the current messages.',
        );
      case 'queue_update':
      case 'viewers':
      case 'ping':
        return;
    }
  }

  #message(message: Message): void {
    const { id, role, queued_message_id } = message;
    if (!this.#begun) {
      this.#last = id;
      this.#begun = queued_message_id !== undefined && queued_message_id === this.#start.queued;
      if (!this.#begun) return;
      this.#interrupted = false;
      return this.#snapshot();
    }
    if (role === 'user') {
      const isOwn = this.#start.own.has(id) || this.#start.own.has(queued_message_id ?? 0);
      if (!isOwn && message.steered !== true) return this.#finish();
      this.#last = id;
      return isOwn ? undefined : this.#steering(message);
    }
    if (role === 'assistant') {
      const step = this.#speaking();
      this.#emit(step.commit(message));
      this.#last = id;
      this.#snapshotIfStale();
      this.#usage = addUsage(this.#usage, message.usage);
      if (message.cut_off === 'interrupted') this.#interrupted = true;
    } else if (role === 'tool') {
      this.#last = id;
      this.#emit(this.#resultsOf(message));
    }
  }

  /** The calls of a message before the run have no step here. */
  #resultsOf(message: Message): AgUiEvent[] {
    return (this.#step ?? new StepEvents(0)).results(message);
  }

  #steering(message: Message): void {
    const messageId = `m${message.id}`;
    this.#closeStep();
    this.#add('TEXT_MESSAGE_START', { messageId, role: 'user' });
    this.#add('TEXT_MESSAGE_CONTENT', { messageId, delta: textOf(message.content) });
    this.#add('TEXT_MESSAGE_END', { messageId });
  }

  /** The current step. After a committed response, a new one. */
  #speaking(): StepEvents {
    if (this.#step !== undefined && !this.#step.isCommitted) return this.#step;
    this.#closeStep();
    this.#steps += 1;
    this.#stepName = `step-${this.#steps}`;
    this.#add('STEP_STARTED', { stepName: this.#stepName });
    this.#step = new StepEvents(this.#last);
    return this.#step;
  }

  #closeStep(): void {
    this.#emit(this.#step?.end() ?? []);
    if (this.#stepName !== undefined) this.#add('STEP_FINISHED', { stepName: this.#stepName });
    this.#step = undefined;
    this.#stepName = undefined;
  }

  #status(status: string): void {
    this.#failed = status === 'error';
    if (status === 'interrupting' && this.#begun) this.#interrupted = true;
    if (status !== 'waiting') return;
    if (this.#begun) return this.#finish();
    this.#fail('message_deleted', 'The message was deleted from the queue of the chat.');
  }

  #await(calls: readonly AwaitedCall[]): void {
    if (!this.#begun) {
      return this.#fail(
        'chat_waits',
        'The message is queued behind a turn that waits for an approval or a tool result.',
      );
    }
    const interrupts = calls.filter(({ kind }) => kind !== 'dynamic').map(interruptOf);
    if (interrupts.length > 0) return this.#end({ type: 'interrupt', interrupts });
    const pendingToolCallIds = calls.map(({ tool_call_id }) => tool_call_id);
    this.#end({ type: 'success', pendingToolCallIds });
  }

  #finish(): void {
    this.#end({ type: this.#interrupted ? 'cancelled' : 'success' });
  }

  #end(outcome: object): void {
    this.#closeStep();
    const { threadId, runId } = this.#start;
    this.#add('RUN_FINISHED', { threadId, runId, outcome, ...this.#used() });
    this.over = true;
  }

  #fail(code: string, message: string): void {
    this.#closeStep();
    this.#add('RUN_ERROR', { message, code, ...this.#used() });
    this.over = true;
  }

  #used(): object {
    if (this.#usage === undefined) return {};
    const { output_tokens = 0, reasoning_tokens = 0 } = this.#usage;
    const { cache_read_tokens = 0, cache_creation_tokens = 0 } = this.#usage;
    const inputTokens = allInputTokens(this.#usage);
    const usage = {
      inputTokens,
      outputTokens: output_tokens,
      totalTokens: inputTokens + output_tokens,
      reasoningTokens: reasoning_tokens,
      cachedInputTokens: cache_read_tokens,
      cacheWriteInputTokens: cache_creation_tokens,
    };
    return { usage: [usage] };
  }

  #snapshotIfStale(): void {
    if (this.#step?.isStale !== true) return;
    this.#step.isStale = false;
    this.#snapshot();
  }

  #snapshot(): void {
    this.#out.push({ upTo: this.#last, reasoning: [...this.#reasoning] });
  }

  /** Results that the client has sent are not sent back. */
  #emit(events: readonly AgUiEvent[]): void {
    for (const event of events) {
      if (event.type === 'REASONING_START') this.#reasoning.add(String(event['messageId']));
      const isKnown =
        event.type === 'TOOL_CALL_RESULT' && this.#start.results.has(String(event['toolCallId']));
      if (!isKnown) this.#out.push(event);
    }
  }

  #add(type: string, fields: object): void {
    this.#out.push({ type, ...fields });
  }
}

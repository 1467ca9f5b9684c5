import { API_PREFIX, type AwaitedCall, type Message, type Part } from '@chatd/protocol';
import { isSummary } from '../protocols/part-text.ts';
import type { StartPoint } from '../protocols/turn-ref.ts';
import { addUsage, type TurnUsage } from '../protocols/turn-usage.ts';
import type { EventPayload } from '../stream/plan-events.ts';
import { describeCall } from './input.ts';
import type { A2aMessage, A2aPart, Artifact, StreamResponse, Task, TaskState } from './objects.ts';
import { taskId } from './task-id.ts';

const DONE: ReadonlySet<TaskState> = new Set([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
]);

/**
 * Translates the events of a chat into one task: from a user message to the point where the chat waits for the next one.
 * Each text of the agent is an artifact. Live text is appended to it. When its step is committed, or a new attempt starts,
 * an artifact whose text differs is replaced.
 */
export class TaskTurn {
  readonly #chatId: string;
  readonly #origin: string;
  /** Undefined: the first user message. */
  #start: StartPoint | undefined;
  #state: TaskState = 'TASK_STATE_SUBMITTED';
  #statusParts: readonly A2aPart[] | undefined;
  #changedAt: string | undefined;
  #begun = false;
  #isQueued = false;
  #pending: readonly AwaitedCall[] = [];
  /** Each is an artifact. */
  readonly #artifacts: A2aPart[] = [];
  /** The number of artifacts of committed steps. */
  #committed = 0;
  /** What the client has of the other artifacts. */
  readonly #shown = new Map<number, A2aPart>();
  /** The last artifact takes more text. */
  #isOpen = false;
  readonly #history: A2aMessage[] = [];
  #usage: TurnUsage = {};
  #last: Message | undefined;
  #hasFailed = false;
  #updates: StreamResponse[] = [];

  constructor(chatId: string, origin: string, start?: StartPoint) {
    this.#chatId = chatId;
    this.#origin = origin;
    this.#start = start;
  }

  /** The history or the queue of the chat has the message of the task. */
  get exists(): boolean {
    return this.#begun || this.#isQueued;
  }

  get isQueued(): boolean {
    return !this.#begun && this.#isQueued;
  }

  get isOver(): boolean {
    return DONE.has(this.#state);
  }

  /** Over, or waiting for input. */
  get hasStopped(): boolean {
    return this.isOver || this.#state === 'TASK_STATE_INPUT_REQUIRED';
  }

  get pending(): readonly AwaitedCall[] {
    return this.#pending;
  }

  get id(): string {
    return taskId({ chatId: this.#chatId, start: this.#start ?? { kind: 'message', id: 0 } });
  }

  get task(): Task {
    return {
      id: this.id,
      contextId: this.#chatId,
      status: this.#status,
      artifacts: this.#artifacts.map(artifactOf),
      history: [...this.#history],
      metadata: this.#metadata,
    };
  }

  /** The task for a client that has nothing of it. */
  get snapshot(): Task {
    this.#shown.clear();
    for (const [index, part] of this.#artifacts.entries()) {
      if (index >= this.#committed) this.#shown.set(index, part);
    }
    return this.task;
  }

  /** Returns the updates for a client that has everything up to now. */
  take(event: EventPayload): readonly StreamResponse[] {
    this.#updates = [];
    if (!this.isOver) this.#take(event);
    return this.#updates;
  }

  #take(event: EventPayload): void {
    switch (event.type) {
      case 'message':
        return this.#message(event.message);
      case 'message_part':
        if (this.#begun && event.role === 'assistant') this.#livePart(event.part);
        return;
      case 'preview_reset':
        this.#artifacts.length = this.#committed;
        this.#isOpen = false;
        return;
      case 'queue_update': {
        if (this.#begun || this.#start?.kind !== 'queued') return;
        const { id } = this.#start;
        const isQueued = event.queued_messages.some((message) => message.id === id);
        if (this.#isQueued && !isQueued) this.#become('TASK_STATE_CANCELED');
        else this.#isQueued = isQueued;
        return;
      }
      case 'status':
        this.#hasFailed = event.status === 'error';
        if (event.status === 'waiting' && this.#begun) return this.#end();
        if (event.status === 'running' && this.#pending.length > 0) {
          this.#pending = [];
          this.#become('TASK_STATE_WORKING');
        }
        return;
      case 'action_required':
        return this.#begun ? this.#await(event.tool_calls) : undefined;
      case 'error':
        if (!this.#begun || !this.#hasFailed) return;
        return this.#become('TASK_STATE_FAILED', [
          { text: event.error.message },
          { data: { kind: event.error.kind } },
        ]);
      case 'history_reset':
        return this.#become('TASK_STATE_CANCELED', [
          { text: 'An earlier message of the chat was edited, and this task was discarded.' },
        ]);
      case 'retry':
      case 'viewers':
      case 'ping':
        return;
    }
  }

  #message(message: Message): void {
    const { role, content, usage } = message;
    if (!this.#begun) return this.#begin(message);
    if (content.length > 0 && content.every(isSummary)) return;
    if (role === 'user' && message.steered !== true) return this.#end();
    if (role === 'user') this.#history.push(this.#said(message));
    if (role === 'assistant') this.#step(message);
    this.#usage = addUsage(this.#usage, usage) ?? {};
    this.#last = message;
    this.#changedAt = message.created_at;
  }

  #begin(message: Message): void {
    if (message.role !== 'user') return;
    this.#start ??= { kind: 'message', id: message.id };
    const { kind, id } = this.#start;
    if ((kind === 'queued' ? message.queued_message_id : message.id) !== id) return;
    this.#begun = true;
    this.#last = message;
    this.#changedAt = message.created_at;
    this.#history.push(this.#said(message));
    this.#become('TASK_STATE_WORKING');
  }

  // Artifacts -----------------------------------------------------------------------------------

  #livePart(part: Part): void {
    const before = this.#artifacts.at(-1);
    const index = this.#collect(part);
    const output = this.#artifacts[index];
    if (output === undefined) return;
    // Without a comparison, which would take quadratic time.
    const isNext =
      part.type === 'text' && before !== undefined && this.#shown.get(index) === before;
    if (!isNext) return this.#show(index, !this.#isOpen);
    this.#shown.set(index, output);
    this.#update(index, { text: part.text }, true, false);
  }

  /** Adds output. Consecutive texts are one artifact. Returns its index, or -1 without output. */
  #collect(part: Part): number {
    if (part.type === 'text' && part.text === '') return -1;
    const open = this.#isOpen && part.type === 'text' ? this.#artifacts.pop() : undefined;
    this.#isOpen = part.type === 'text';
    if (part.type !== 'text' && part.type !== 'file') return -1;
    const output = this.#output(part);
    const text = `${open?.text ?? ''}${output.text ?? ''}`;
    return this.#artifacts.push(open === undefined ? output : { text }) - 1;
  }

  #step({ content }: Message): void {
    this.#artifacts.length = this.#committed;
    this.#isOpen = false;
    for (const part of content) this.#collect(part);
    const { length } = this.#artifacts;
    for (let index = this.#committed; index < length; index += 1) this.#show(index, true);
    // Artifacts of an attempt that failed.
    for (const index of this.#shown.keys()) {
      if (index >= length) this.#update(index, { text: '' }, false, true);
    }
    this.#shown.clear();
    this.#committed = length;
    this.#isOpen = false;
    for (const part of content) {
      if (part.type !== 'tool-call') continue;
      const { tool_call_id, tool_name, args } = part;
      this.#become('TASK_STATE_WORKING', [{ data: { tool_call_id, tool_name, args } }]);
    }
  }

  /** Sends what the client lacks. A new attempt may repeat the text that the client has. */
  #show(index: number, isComplete: boolean): void {
    const part = this.#artifacts[index];
    const shown = this.#shown.get(index);
    if (part === undefined) return;
    const { text } = part;
    if (text !== undefined && shown?.text !== undefined) {
      if (!isComplete && shown.text.startsWith(text)) return;
      if (text.startsWith(shown.text)) {
        this.#shown.set(index, part);
        return this.#update(index, { text: text.slice(shown.text.length) }, true, isComplete);
      }
    }
    if (part.url !== undefined && shown?.url === part.url) return;
    this.#shown.set(index, part);
    this.#update(index, part, false, isComplete);
  }

  #output(part: Extract<Part, { type: 'text' | 'file' }>): A2aPart {
    if (part.type === 'text') return { text: part.text };
    return {
      url: `${this.#origin}${API_PREFIX}/files/${part.file_id}`,
      mediaType: part.media_type,
      ...(part.name !== undefined && { filename: part.name }),
    };
  }

  #update(index: number, part: A2aPart, append: boolean, lastChunk: boolean): void {
    const artifact = artifactOf(part, index);
    this.#updates.push({ artifactUpdate: { ...this.#at, artifact, append, lastChunk } });
  }

  // Status --------------------------------------------------------------------------------------

  #await(calls: readonly AwaitedCall[]): void {
    this.#pending = calls;
    this.#become('TASK_STATE_INPUT_REQUIRED', [
      { text: calls.map(describeCall).join('\n\n') },
      { data: { tool_calls: calls } },
    ]);
  }

  /** Every complete turn ends with an answer. */
  #end(): void {
    const { role, cut_off } = this.#last ?? {};
    if (role !== 'assistant' || cut_off === 'interrupted') {
      return this.#become('TASK_STATE_CANCELED');
    }
    const reason = cut_off === 'length' ? 'the output limit was reached' : 'a content filter';
    const note = cut_off && [{ text: `The answer is incomplete: ${reason}.` }];
    this.#become('TASK_STATE_COMPLETED', note);
  }

  #become(state: TaskState, parts?: readonly A2aPart[]): void {
    this.#state = state;
    this.#statusParts = parts;
    const update = { ...this.#at, status: this.#status, metadata: this.#metadata };
    this.#updates.push({ statusUpdate: update });
  }

  get #status() {
    const parts = this.#statusParts;
    const messageId = `${this.id}-${this.#last?.id ?? 0}`;
    return {
      state: this.#state,
      ...(parts && { message: { messageId, ...this.#at, role: 'ROLE_AGENT' as const, parts } }),
      ...(this.#changedAt !== undefined && { timestamp: this.#changedAt }),
    };
  }

  get #metadata(): object {
    return Object.keys(this.#usage).length === 0 ? {} : { usage: this.#usage };
  }

  #said({ id, content }: Message): A2aMessage {
    const parts = content.flatMap((part): A2aPart[] => {
      if (part.type === 'text' || part.type === 'file') return [this.#output(part)];
      return part.type === 'file-reference' ? [{ text: part.content }] : [];
    });
    return { messageId: `${this.#chatId}-m${id}`, ...this.#at, role: 'ROLE_USER', parts };
  }

  get #at() {
    return { taskId: this.id, contextId: this.#chatId };
  }
}

const artifactOf = (part: A2aPart, index: number): Artifact => ({
  artifactId: String(index + 1),
  name: part.text === undefined ? 'File' : 'Answer',
  parts: [part],
});

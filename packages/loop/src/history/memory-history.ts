import type { AwaitedCall, ChatError, Json, Retry } from '@chatd/protocol';
import type { CallDecision, ChatFacts, Episode, History, Snapshot } from './history.ts';
import { type HistoryMessage, type HistoryPart } from './message.ts';
import { begunCalls, openStep } from './open-calls.ts';
import { isStep } from './turn-progress.ts';

type MemoryStatus = 'waiting' | 'running' | 'requires_action' | 'error';

/** A chat in memory, for standalone use and tests. */
export class MemoryHistory implements History {
  readonly messages: HistoryMessage[];
  status: MemoryStatus = 'waiting';
  awaited: readonly AwaitedCall[] = [];
  error: ChatError | undefined;
  retries: Retry[] = [];
  /** Messages that join at the next step boundary. */
  #sent: HistoryMessage[] = [];
  #facts: ChatFacts = {};
  #begun: string[] = [];
  #version = 1;
  #attempt = 0;

  constructor(messages: readonly HistoryMessage[] = []) {
    this.messages = [...messages];
    this.takeOver();
  }

  /** A user message starts a turn, or joins the running one at its next step. */
  send(content: string | HistoryPart[]): void {
    if (this.status === 'requires_action') {
      throw new Error(
        'The chat is waiting for tool results. Submit them or interrupt the turn first.',
      );
    }
    const parts: HistoryPart[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    this.#sent.push({ role: 'user', content: parts });
    if (this.status !== 'running') this.#join(false);
    this.error = undefined;
  }

  /** Results of the calls that the turn waits for. */
  answer(results: readonly { tool_call_id: string; result: Json; is_error?: boolean }[]): void {
    const open = openStep(this.messages)?.calls ?? [];
    const content = results.map((given): HistoryPart => {
      const call = open.find((c) => c.tool_call_id === given.tool_call_id);
      if (call === undefined) throw new Error(`No open call has the ID ${given.tool_call_id}.`);
      const { tool_name } = call;
      return { type: 'tool-result', tool_name, ...given };
    });
    this.#append([{ role: 'tool', content }]);
    this.#resume();
  }

  approve(decisions: Record<string, CallDecision>): void {
    this.#facts = { ...this.#facts, approvals: { ...this.#facts.approvals, ...decisions } };
    this.#resume();
  }

  requestCompaction(): void {
    this.#facts = { ...this.#facts, compaction_requested: true };
  }

  /** What a new owner does first: calls that were about to start count as started. */
  takeOver(): void {
    const started = [...this.#begun, ...begunCalls(this.messages)];
    this.#facts = { ...this.#facts, maybe_started: started };
  }

  read(): Promise<Snapshot> {
    this.status = 'running';
    // Copied, so that earlier snapshots do not change.
    return Promise.resolve({ messages: this.messages.slice(), chat: this.#facts });
  }

  beginAttempt(): Promise<Episode> {
    this.#attempt += 1;
    return Promise.resolve({ history_version: this.#version, attempt: this.#attempt });
  }

  beginTools(callIds: readonly string[]): Promise<void> {
    this.#begun.push(...callIds);
    return Promise.resolve();
  }

  recordRetry(retry: Retry): Promise<void> {
    this.retries.push(retry);
    return Promise.resolve();
  }

  commit(messages: readonly HistoryMessage[]): Promise<void> {
    this.#append(messages);
    if (messages.some(isStep)) this.#forgetCalls();
    // A user message never enters a history with open calls.
    if (openStep(this.messages) === undefined) this.#join(true);
    if (messages.some((m) => m.meta?.compaction?.source === 'manual')) {
      this.#facts = { ...this.#facts, compaction_requested: false };
    }
    return Promise.resolve();
  }

  requireAction(calls: readonly AwaitedCall[]): Promise<void> {
    this.awaited = calls;
    this.status = 'requires_action';
    return Promise.resolve();
  }

  finishTurn(): Promise<'waiting' | 'running'> {
    const status = this.#sent.length > 0 ? 'running' : 'waiting';
    this.#join(false);
    this.status = status;
    return Promise.resolve(status);
  }

  finishInterruption(partial: readonly HistoryMessage[]): Promise<void> {
    this.#append(partial);
    this.#facts = { ...this.#facts, compaction_requested: false };
    this.#join(false);
    this.status = 'waiting';
    return Promise.resolve();
  }

  fail(error: ChatError): Promise<void> {
    this.error = error;
    this.status = 'error';
    return Promise.resolve();
  }

  /** IDs are unique within a response only, so earlier state does not apply. */
  #forgetCalls(): void {
    this.#begun = [];
    this.#facts = { ...this.#facts, approvals: {}, maybe_started: [] };
  }

  #resume(): void {
    if ((openStep(this.messages)?.calls.length ?? 0) === 0) this.awaited = [];
    this.status = 'waiting';
  }

  #join(steered: boolean): void {
    const messages = this.#sent.splice(0);
    this.#append(steered ? messages.map((m) => ({ ...m, meta: { steered: true } })) : messages);
  }

  #append(messages: readonly HistoryMessage[]): void {
    if (messages.length === 0) return;
    this.messages.push(...messages);
    this.#version += 1;
    this.#attempt = 0;
  }
}

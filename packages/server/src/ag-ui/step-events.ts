import type { Message, Part } from '@chatd/protocol';
import { asText } from '../protocols/part-text.ts';
import type { UiChunk } from '../ui-stream/chunk.ts';
import { UiStep } from '../ui-stream/ui-step.ts';
import type { AgUiEvent } from './events.ts';

type SegmentKind = 'text' | 'reasoning' | 'calls';

const DENIED = 'The user denied this call.';

export const resultId = (toolCallId: string): string => `t-${toolCallId}`;

/**
 * One model response, its calls and their results. The ids of its messages follow from the message before it, so they
 * are the same live, after the commit, and on every replica.
 */
export class StepEvents {
  readonly #id: string;
  readonly #step = new UiStep(1, () => true);
  #segments = 0;
  #segment: { readonly id: string; readonly kind: SegmentKind } | undefined;
  #open: { readonly id: string; readonly kind: 'text' | 'reasoning' } | undefined;
  /** Calls whose arguments are incomplete, and their text so far. */
  readonly #calls = new Map<string, string>();
  #out: AgUiEvent[] = [];
  /** The client has content that is not part of the response. It needs a snapshot. */
  isStale = false;

  /** `previous`: the id of the message before the response. */
  constructor(previous: number) {
    this.#id = `a${previous}`;
  }

  get isCommitted(): boolean {
    return this.#step.committed;
  }

  live(part: Part): AgUiEvent[] {
    return this.#take(this.#step.live(part));
  }

  /** The committed response. If it is not what the client has, only ends what is open. */
  commit(message: Message): AgUiEvent[] {
    const chunks = this.#step.commit(message);
    if (chunks[0]?.type !== 'reset-step') return this.#take(chunks);
    this.isStale = true;
    return this.end();
  }

  results(message: Message): AgUiEvent[] {
    return this.#take(this.#step.results(message));
  }

  /** The attempt has failed. */
  void(): AgUiEvent[] {
    this.#step.void();
    this.isStale = this.#segments > 0;
    const events = this.end();
    this.#segments = 0;
    this.#segment = undefined;
    return events;
  }

  /** Ends what is open. */
  end(): AgUiEvent[] {
    this.#out = [];
    this.#close();
    for (const toolCallId of this.#calls.keys()) this.#add('TOOL_CALL_END', { toolCallId });
    this.#calls.clear();
    return this.#out;
  }

  #take(chunks: readonly UiChunk[]): AgUiEvent[] {
    this.#out = [];
    for (const chunk of chunks) this.#chunk(chunk);
    return this.#out;
  }

  #chunk(chunk: UiChunk): void {
    switch (chunk.type) {
      case 'text-start':
        return this.#start('text');
      case 'reasoning-start':
        return this.#start('reasoning');
      case 'text-delta':
      case 'reasoning-delta': {
        const type = chunk.type === 'text-delta' ? 'TEXT_MESSAGE' : 'REASONING_MESSAGE';
        return this.#add(`${type}_CONTENT`, { messageId: this.#open?.id, delta: chunk.delta });
      }
      case 'text-end':
      case 'reasoning-end':
        return this.#close();
      case 'tool-input-start': {
        const { toolCallId, toolName: toolCallName } = chunk;
        const { kind } = this.#segment ?? {};
        const parentMessageId =
          kind === 'text' || kind === 'calls' ? this.#continue('calls') : this.#begin('calls');
        this.#calls.set(toolCallId, '');
        return this.#add('TOOL_CALL_START', { toolCallId, toolCallName, parentMessageId });
      }
      case 'tool-input-delta': {
        const { toolCallId, inputTextDelta: delta } = chunk;
        this.#calls.set(toolCallId, `${this.#calls.get(toolCallId) ?? ''}${delta}`);
        return this.#add('TOOL_CALL_ARGS', { toolCallId, delta });
      }
      case 'tool-input-available': {
        const { toolCallId, input } = chunk;
        const sent = this.#calls.get(toolCallId) ?? '';
        if (sent === '') this.#add('TOOL_CALL_ARGS', { toolCallId, delta: JSON.stringify(input) });
        else if (!isJson(sent)) this.isStale = true;
        this.#calls.delete(toolCallId);
        return this.#add('TOOL_CALL_END', { toolCallId });
      }
      case 'tool-output-available':
        if (chunk.preliminary === true) return;
        return this.#result(chunk.toolCallId, asText(chunk.output));
      case 'tool-output-error':
        return this.#result(chunk.toolCallId, chunk.errorText, true);
      case 'tool-output-denied':
        return this.#result(chunk.toolCallId, DENIED, true);
      case 'source-url':
      case 'file': {
        const { type, ...value } = chunk;
        return this.#add('CUSTOM', { name: `chatd.${type}`, value });
      }
      // Steps have no other chunks.
      case 'start':
      case 'start-step':
      case 'finish-step':
      case 'reset-step':
      case 'tool-approval-request':
      case 'steering-message':
      case 'data-retry':
      case 'message-metadata':
      case 'error':
      case 'abort':
      case 'finish':
        return;
    }
  }

  #result(toolCallId: string, content: string, failed = false): void {
    this.#add('TOOL_CALL_RESULT', {
      messageId: resultId(toolCallId),
      toolCallId,
      content,
      role: 'tool',
      ...(failed && { metadata: { chatd: { is_error: true } } }),
    });
  }

  #start(kind: 'text' | 'reasoning'): void {
    const messageId = this.#begin(kind);
    this.#open = { id: messageId, kind };
    if (kind === 'text') return this.#add('TEXT_MESSAGE_START', { messageId, role: 'assistant' });
    this.#add('REASONING_START', { messageId });
    this.#add('REASONING_MESSAGE_START', { messageId, role: 'reasoning' });
  }

  #close(): void {
    const { id: messageId, kind } = this.#open ?? {};
    this.#open = undefined;
    if (kind === 'text') this.#add('TEXT_MESSAGE_END', { messageId });
    if (kind !== 'reasoning') return;
    this.#add('REASONING_MESSAGE_END', { messageId });
    this.#add('REASONING_END', { messageId });
  }

  #begin(kind: SegmentKind): string {
    this.#segments += 1;
    // Clients never change the role of a message.
    const id = `${this.#id}.${kind === 'reasoning' ? 'r' : ''}${this.#segments}`;
    this.#segment = { id, kind };
    return id;
  }

  #continue(kind: SegmentKind): string {
    const { id = '' } = this.#segment ?? {};
    this.#segment = { id, kind };
    return id;
  }

  #add(type: string, fields: object): void {
    this.#out.push({ type, ...fields });
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

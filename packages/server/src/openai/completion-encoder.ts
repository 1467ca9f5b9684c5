import type { TurnEncoder } from '../protocols/turn-stream.ts';
import type { EncodedEvent, EventFrame } from '../stream/event-frame.ts';
import { completionId } from './ids.ts';
import type { OutputItem, ResponseHead, ResponseUsage } from './response-object.ts';
import type { ResponseEvent, ResponseTurn } from './response-turn.ts';

const DONE: EncodedEvent = { json: '[DONE]' };
/** Between the texts of two steps of a turn. */
const BREAK = '\n\n';

/** The stream of the Chat Completions API. */
export class CompletionEncoder implements TurnEncoder {
  readonly #head: ResponseHead;
  readonly #turn: ResponseTurn;
  readonly #withUsage: boolean;
  /** The item whose text was sent last. */
  #spoken: unknown;
  #calls = 0;

  constructor(head: ResponseHead, turn: ResponseTurn, withUsage = false) {
    this.#head = head;
    this.#turn = turn;
    this.#withUsage = withUsage;
  }

  get over(): boolean {
    return this.#turn.over;
  }

  start(): EncodedEvent[] {
    this.#turn.start();
    return [this.#chunk({ role: 'assistant', content: '', refusal: null })];
  }

  take({ payloads }: EventFrame): EncodedEvent[] {
    const events = payloads.flatMap((event) => this.#turn.take(event));
    return events.flatMap((event) => this.#event(event));
  }

  /** The whole response. */
  get completion(): object {
    const { items, usage } = this.#turn;
    const text = items.flatMap((item) => (item.type === 'message' ? [textOf(item)] : []));
    const tool_calls = items.flatMap((item) => callIn(item));
    const message = {
      role: 'assistant',
      content: text.length === 0 ? null : text.join(BREAK),
      refusal: null,
      annotations: [],
      ...(tool_calls.length > 0 && { tool_calls }),
    };
    const choice = { index: 0, message, logprobs: null, finish_reason: this.#finishReason };
    return {
      ...this.#common('chat.completion'),
      choices: [choice],
      ...(usage && { usage: completionUsage(usage) }),
    };
  }

  #event(event: ResponseEvent): EncodedEvent[] {
    switch (event.type) {
      case 'response.output_text.delta': {
        const { item_id, delta } = event;
        const isNext = this.#spoken !== undefined && this.#spoken !== item_id;
        this.#spoken = item_id;
        return [this.#chunk({ content: `${isNext ? BREAK : ''}${String(delta)}` })];
      }
      case 'response.output_item.done':
        return callIn(event['item'] as OutputItem).map((call) => {
          const index = this.#calls;
          this.#calls += 1;
          return this.#chunk({ tool_calls: [{ index, ...call }] });
        });
      case 'response.failed': {
        const { message, code } = this.#turn.outcome.error ?? {};
        const error = { message, type: 'server_error', param: null, code };
        return [{ json: JSON.stringify({ error }) }, DONE];
      }
      case 'response.completed':
      case 'response.incomplete':
        return [this.#chunk({}, this.#finishReason), ...this.#usageChunk(), DONE];
      default:
        return [];
    }
  }

  get #finishReason(): string {
    const { items, outcome } = this.#turn;
    if (outcome.reason !== undefined) {
      return outcome.reason === 'content_filter' ? 'content_filter' : 'length';
    }
    return items.some(({ type }) => type === 'function_call') ? 'tool_calls' : 'stop';
  }

  #usageChunk(): EncodedEvent[] {
    const { usage } = this.#turn;
    if (!this.#withUsage || usage === null) return [];
    const chunk = this.#common('chat.completion.chunk');
    return [{ json: JSON.stringify({ ...chunk, choices: [], usage: completionUsage(usage) }) }];
  }

  #chunk(delta: object, finish_reason: string | null = null): EncodedEvent {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
    return { json: JSON.stringify({ ...this.#common('chat.completion.chunk'), choices }) };
  }

  #common(object: string) {
    const { ref, createdAt, model } = this.#head;
    const created = Math.floor(createdAt.getTime() / 1000);
    return { id: completionId(ref), object, created, model };
  }
}

const textOf = (item: OutputItem & { type: 'message' }) =>
  item.content.map(({ text }) => text).join('');

const callIn = (item: OutputItem) =>
  item.type === 'function_call'
    ? [
        {
          id: item.call_id,
          type: 'function',
          function: { name: item.name, arguments: item.arguments },
        },
      ]
    : [];

const completionUsage = (usage: ResponseUsage) => ({
  prompt_tokens: usage.input_tokens,
  completion_tokens: usage.output_tokens,
  total_tokens: usage.total_tokens,
  prompt_tokens_details: usage.input_tokens_details,
  completion_tokens_details: usage.output_tokens_details,
});

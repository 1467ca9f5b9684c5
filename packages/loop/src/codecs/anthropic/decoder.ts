import type {
  JSONObject,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import {
  areMissing,
  areOptional,
  type Fields,
  hasOnly,
  isFields,
  isMissing,
  isNumber,
  isString,
} from '../fields.ts';
import { SubsetDecoder, type Taken } from '../subset-decoder.ts';

type Block =
  | { readonly type: 'text' | 'reasoning' }
  | {
      readonly type: 'call';
      readonly id: string;
      readonly name: string;
      readonly isDirect: boolean;
      input: string;
    };

const CACHE_TOKENS = ['cache_creation_input_tokens', 'cache_read_input_tokens'];

const FINISH: ReadonlyMap<string, LanguageModelV4FinishReason['unified']> = new Map([
  ['end_turn', 'stop'],
  ['pause_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['refusal', 'content-filter'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
]);

/** One message of Anthropic's Messages API, with text, thinking, and calls of functions. */
export class AnthropicDecoder extends SubsetDecoder {
  #state: 'expected' | 'open' | 'finished' = 'expected';
  readonly #blocks = new Map<number, Block>();
  /** The type of the last block, until any block ends. */
  #blockType: unknown;
  #usage: Fields = {};
  #inputTokens = 0;
  #outputTokens = 0;
  #thinkingTokens: number | undefined;
  #cacheRead = 0;
  #cacheWrite = 0;
  #finishReason: LanguageModelV4FinishReason = { unified: 'other', raw: undefined };
  #stopSequence: string | null = null;
  #serviceTier: string | null = null;

  protected take(event: Fields): Taken {
    const { type, index } = event;
    if (type === 'ping') return 'ignored';
    if (type === 'message_start') return this.#startMessage(event);
    if (this.#state !== 'open') return undefined;
    if (type === 'message_delta') return this.#changeMessage(event);
    if (type === 'message_stop') return this.#stopMessage(event);
    if (!isNumber(index)) return undefined;
    if (type === 'content_block_delta') return this.#addDelta(index, event['delta']);
    if (type === 'content_block_start') return this.#startBlock(index, event);
    return type === 'content_block_stop' ? this.#stopBlock(index, event) : undefined;
  }

  protected finish(): boolean {
    return this.#state === 'finished';
  }

  /** Arguments of open calls, one part each. */
  protected override missed() {
    const events = [...this.#blocks].flatMap(([index, block]) =>
      block.type === 'call' && block.input !== '' ? [argumentsEvent(index, block.input)] : [],
    );
    return { events, parts: events.length };
  }

  #addDelta(index: number, delta: unknown): Taken {
    if (!isFields(delta)) return undefined;
    const { type, text, thinking, signature, partial_json: json } = delta;
    const id = String(index);
    if (type === 'text_delta' && isString(text)) {
      this.emit({ type: 'text-delta', id, delta: text });
      return text === '' ? 'ignored' : 'output';
    }
    if (type === 'thinking_delta' && isString(thinking)) {
      this.emit({ type: 'reasoning-delta', id, delta: thinking });
      return thinking === '' ? 'ignored' : 'output';
    }
    if (type === 'signature_delta' && isString(signature)) {
      const providerMetadata = { anthropic: { signature } };
      if (this.#blockType === 'thinking')
        this.emit({ type: 'reasoning-delta', id, delta: '', providerMetadata });
      return 'ignored';
    }
    if (type !== 'input_json_delta' || !isString(json)) return undefined;
    const block = this.#blocks.get(index);
    if (json === '' || block?.type !== 'call') return 'ignored';
    block.input += json;
    this.emit({ type: 'tool-input-delta', id: block.id, delta: json });
    return 'ignored';
  }

  #startBlock(index: number, event: Fields): Taken {
    const block = event['content_block'];
    if (!isFields(block)) return undefined;
    const { type, id: callId, name, input, caller, data } = block;
    const id = String(index);
    if (type === 'text' && isString(block['text'])) {
      this.#blocks.set(index, { type: 'text' });
      this.emit({ type: 'text-start', id });
    } else if (type === 'thinking' && isString(block['thinking'])) {
      this.#blocks.set(index, { type: 'reasoning' });
      this.emit({ type: 'reasoning-start', id });
    } else if (type === 'redacted_thinking' && isString(data)) {
      this.#blocks.set(index, { type: 'reasoning' });
      const providerMetadata = { anthropic: { redactedData: data } };
      this.emit({ type: 'reasoning-start', id, providerMetadata });
    } else if (type === 'tool_use' && isString(callId) && isString(name)) {
      const isDirect = isFields(caller) && caller['type'] === 'direct';
      const isPlain = input === undefined || (isFields(input) && hasOnly(input, []));
      if (!isPlain || !(isDirect || caller === undefined)) return undefined;
      if (!isMissing(block['toolset_name'])) return undefined;
      this.#blocks.set(index, { type: 'call', id: callId, name, isDirect, input: '' });
      this.emit({ type: 'tool-input-start', id: callId, toolName: name });
    } else return undefined;
    this.#blockType = type;
    return event;
  }

  #stopBlock(index: number, event: Fields): Taken {
    const block = this.#blocks.get(index);
    const id = String(index);
    if (block?.type === 'text') this.emit({ type: 'text-end', id });
    if (block?.type === 'reasoning') this.emit({ type: 'reasoning-end', id });
    if (block?.type === 'call') {
      this.emit({ type: 'tool-input-end', id: block.id });
      this.emit({
        type: 'tool-call',
        toolCallId: block.id,
        toolName: block.name,
        input: block.input === '' ? '{}' : block.input,
        ...(block.isDirect && { providerMetadata: { anthropic: { caller: { type: 'direct' } } } }),
      });
    }
    this.#blocks.delete(index);
    this.#blockType = undefined;
    return event;
  }

  #startMessage(event: Fields): Taken {
    const { message } = event;
    if (this.#state !== 'expected' || !isFields(message)) return undefined;
    const { id, model, usage, content } = message;
    const isPlain =
      areOptional(message, 'string', ['id', 'model', 'role', 'service_tier']) &&
      areMissing(message, ['stop_reason', 'input_transformations', 'container']) &&
      (isMissing(content) || (Array.isArray(content) && content.length === 0));
    if (!isPlain || !isFields(usage) || !isNumber(usage['input_tokens'])) return undefined;
    if (!areOptional(usage, 'number', CACHE_TOKENS)) return undefined;
    if (!areOptional(usage, 'string', ['service_tier'])) return undefined;
    this.#state = 'open';
    this.#usage = { ...usage };
    this.#inputTokens = usage['input_tokens'];
    this.#cacheRead = numberOr(usage['cache_read_input_tokens'], 0);
    this.#cacheWrite = numberOr(usage['cache_creation_input_tokens'], 0);
    this.#serviceTier = stringOr(usage['service_tier'], stringOr(message['service_tier'], null));
    this.emit({
      type: 'response-metadata',
      ...(isString(id) && { id }),
      ...(isString(model) && { modelId: model }),
    });
    const started = {
      id: stringOr(id, null),
      model: stringOr(model, null),
      usage: this.#usage as JSONObject,
    };
    this.emit({
      type: 'custom',
      kind: 'anthropic.message_start',
      providerMetadata: { anthropic: started },
    });
    return event;
  }

  #changeMessage(event: Fields): Taken {
    const { delta, usage } = event;
    if (!isFields(delta) || !isFields(usage) || !isNumber(usage['output_tokens'])) return undefined;
    const details = usage['output_tokens_details'];
    const isPlain =
      areOptional(delta, 'string', ['stop_reason', 'stop_sequence']) &&
      areMissing(delta, ['stop_details', 'safeguard_results', 'container']) &&
      areMissing(event, ['input_transformations', 'context_management']) &&
      areOptional(usage, 'number', ['input_tokens', ...CACHE_TOKENS]) &&
      areOptional(usage, 'string', ['service_tier']) &&
      isMissing(usage['iterations']) &&
      (isMissing(details) || isThinkingOnly(details));
    if (!isPlain) return undefined;
    const raw = delta['stop_reason'];
    this.#finishReason = isString(raw)
      ? { unified: FINISH.get(raw) ?? 'other', raw }
      : { unified: 'other', raw: undefined };
    this.#stopSequence = stringOr(delta['stop_sequence'], null);
    this.#serviceTier = stringOr(usage['service_tier'], this.#serviceTier);
    this.#inputTokens = numberOr(usage['input_tokens'], this.#inputTokens);
    this.#outputTokens = usage['output_tokens'];
    if (isFields(details)) this.#thinkingTokens = numberOr(details['thinking_tokens'], undefined);
    this.#cacheRead = numberOr(usage['cache_read_input_tokens'], this.#cacheRead);
    this.#cacheWrite = numberOr(usage['cache_creation_input_tokens'], this.#cacheWrite);
    this.#usage = { ...this.#usage, ...usage };
    return event;
  }

  #stopMessage(event: Fields): Taken {
    this.#state = 'finished';
    const anthropic = {
      usage: this.#usage as JSONObject,
      stopSequence: this.#stopSequence,
      ...(this.#serviceTier !== null && { serviceTier: this.#serviceTier }),
      iterations: null,
      container: null,
      contextManagement: null,
    };
    this.emit({
      type: 'finish',
      finishReason: this.#finishReason,
      usage: this.#totals(),
      providerMetadata: { anthropic },
    });
    return event;
  }

  #totals(): LanguageModelV4Usage {
    const noCache = this.#inputTokens;
    const total = this.#outputTokens;
    const reasoning = this.#thinkingTokens;
    return {
      inputTokens: {
        total: noCache + this.#cacheWrite + this.#cacheRead,
        noCache,
        cacheRead: this.#cacheRead,
        cacheWrite: this.#cacheWrite,
      },
      outputTokens: {
        total,
        text: reasoning === undefined ? undefined : total - reasoning,
        reasoning,
      },
      raw: this.#usage as JSONObject,
    };
  }
}

const argumentsEvent = (index: number, json: string): Fields => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json: json },
});

const isThinkingOnly = (details: unknown): boolean =>
  isFields(details) &&
  hasOnly(details, ['thinking_tokens']) &&
  areOptional(details, 'number', ['thinking_tokens']);

const numberOr = <T>(value: unknown, otherwise: T): number | T =>
  isNumber(value) ? value : otherwise;
const stringOr = <T>(value: unknown, otherwise: T): string | T =>
  isString(value) ? value : otherwise;

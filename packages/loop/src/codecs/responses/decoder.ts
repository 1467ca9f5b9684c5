import type {
  JSONObject,
  JSONValue,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { Emit, Received } from '../codec.ts';
import {
  areMissing,
  areOptional,
  type Fields,
  isFields,
  isMissing,
  isNumber,
  isString,
} from '../fields.ts';
import { NO_USAGE } from '../no-usage.ts';
import type { Replay } from '../package-decoder.ts';
import { SubsetDecoder, type Taken } from '../subset-decoder.ts';

/** A part of a summary is open, or complete and to be ended with the next one, or ended. */
type SummaryState = 'active' | 'complete' | 'ended';

interface Thought {
  readonly encrypted: JSONValue;
  readonly parts: Map<number, SummaryState>;
}

/** Events that repeat others. */
const IGNORED = new Set<unknown>([
  'response.content_part.added',
  'response.content_part.done',
  'response.output_text.done',
  'response.reasoning_summary_text.done',
]);

/** A response of OpenAI's Responses API with text, summaries of reasoning, and calls of functions. */
export class ResponsesDecoder extends SubsetDecoder {
  readonly #namespace: string;
  /** Whether storing was requested. Otherwise, the last part of a summary gets the encrypted content. */
  readonly #stored: boolean;
  /** The ID of each open item, by its index: some servers change the IDs between events. */
  readonly #items = new Map<number, string>();
  readonly #thoughts = new Map<string, Thought>();
  readonly #calls = new Map<number, { readonly id: string; readonly async: unknown }>();
  #phase: JSONValue | undefined;
  #hasCall = false;
  #responseId: string | null = null;
  #completed: Fields | undefined;

  constructor(replay: Replay, received: Received, emit: Emit, namespace: string, stored: boolean) {
    super(replay, received, emit);
    this.#namespace = namespace;
    this.#stored = stored;
  }

  protected take(event: Fields): Taken {
    if (this.#completed !== undefined) return undefined;
    switch (event['type']) {
      case 'response.output_text.delta':
        return this.#addText(event);
      case 'response.function_call_arguments.delta':
        return this.#addArguments(event);
      case 'response.reasoning_summary_text.delta':
        return this.#addSummary(event);
      case 'response.created':
        return this.#start(event);
      case 'response.in_progress':
        return isResponse(event['response']) ? 'ignored' : undefined;
      case 'response.output_item.added':
        return this.#openItem(event);
      case 'response.output_item.done':
        return this.#closeItem(event);
      case 'response.reasoning_summary_part.added':
        return this.#openSummary(event);
      case 'response.reasoning_summary_part.done':
        return this.#closeSummary(event);
      case 'response.function_call_arguments.done':
        return hasItem(event) && isNumber(event['output_index']) && isString(event['arguments'])
          ? 'ignored'
          : undefined;
      case 'response.completed':
      case 'response.incomplete':
        return this.#complete(event);
      default:
        return IGNORED.has(event['type']) ? 'ignored' : undefined;
    }
  }

  protected finish(): boolean {
    if (this.#completed === undefined) return false;
    const { usage, service_tier, reasoning, incomplete_details: details } = this.#completed;
    const context = isFields(reasoning) ? reasoning['context'] : undefined;
    const raw = isFields(details) ? (details['reason'] as string) : undefined;
    this.emit({
      type: 'finish',
      finishReason: { unified: this.#unified(raw), raw },
      usage: isFields(usage) ? totals(usage) : NO_USAGE,
      providerMetadata: this.#metadata({
        responseId: this.#responseId,
        ...(isString(service_tier) && { serviceTier: service_tier }),
        ...(isString(context) && { reasoningContext: context }),
      }),
    });
    return true;
  }

  #unified(raw: string | undefined): LanguageModelV4FinishReason['unified'] {
    if (raw === 'max_output_tokens') return 'length';
    if (raw === 'content_filter') return 'content-filter';
    if (this.#hasCall) return 'tool-calls';
    return raw === undefined ? 'stop' : 'other';
  }

  #metadata(own: JSONObject): Record<string, JSONObject> {
    return { [this.#namespace]: own };
  }

  #idOf(event: Fields): string {
    const index = event['output_index'];
    return (isNumber(index) ? this.#items.get(index) : undefined) ?? (event['item_id'] as string);
  }

  #addText(event: Fields): Taken {
    const { delta, logprobs } = event;
    const hasProbabilities =
      !isMissing(logprobs) && !(Array.isArray(logprobs) && logprobs.length === 0);
    if (!hasItem(event) || !isString(delta) || hasProbabilities) return undefined;
    this.emit({ type: 'text-delta', id: this.#idOf(event), delta });
    return 'output';
  }

  #addArguments(event: Fields): Taken {
    const { output_index: index, delta } = event;
    if (!isString(event['item_id']) || !isNumber(index) || !isString(delta)) return undefined;
    const call = this.#calls.get(index);
    if (call !== undefined) this.emit({ type: 'tool-input-delta', id: call.id, delta });
    return 'output';
  }

  #addSummary(event: Fields): Taken {
    const { summary_index: index, delta } = event;
    if (!hasItem(event) || !isNumber(index) || !isString(delta)) return undefined;
    const itemId = this.#idOf(event);
    const providerMetadata = this.#metadata({ itemId });
    this.emit({ type: 'reasoning-delta', id: `${itemId}:${index}`, delta, providerMetadata });
    return 'output';
  }

  #start(event: Fields): Taken {
    const { response } = event;
    if (!isResponse(response)) return undefined;
    const { id, created_at, model } = response;
    this.#responseId = id;
    this.emit({
      type: 'response-metadata',
      id,
      timestamp: new Date(created_at * 1000),
      modelId: model,
    });
    // The rest repeats the request.
    return { type: event['type'], response: { id, created_at, model } };
  }

  #openItem(event: Fields): Taken {
    const { output_index: index, item } = event;
    if (!isNumber(index) || !isFields(item) || !isString(item['id'])) return undefined;
    const { type, id: itemId, phase } = item;
    if (type === 'message' && isPhase(phase)) {
      this.#items.set(index, itemId);
      this.#phase = phase ?? undefined;
      const providerMetadata = this.#metadata({ itemId, ...(isString(phase) && { phase }) });
      this.emit({ type: 'text-start', id: itemId, providerMetadata });
    } else if (type === 'reasoning' && areOptional(item, 'string', ['encrypted_content'])) {
      const encrypted = (item['encrypted_content'] ?? null) as JSONValue;
      this.#items.set(index, itemId);
      this.#thoughts.set(itemId, { encrypted, parts: new Map([[0, 'active']]) });
      this.#startSummary(itemId, 0, encrypted);
    } else if (type === 'function_call' && isCall(item)) {
      this.#calls.set(index, { id: item.call_id, async: item['async'] });
      this.emit({ type: 'tool-input-start', id: item.call_id, toolName: item.name });
    } else return undefined;
    return event;
  }

  /** What is kept of the event does not repeat the content. */
  #closeItem(event: Fields): Taken {
    const { output_index: index, item } = event;
    if (!isNumber(index) || !isFields(item) || !isString(item['id'])) return undefined;
    const itemId = this.#items.get(index) ?? item['id'];
    const { type, phase } = item;
    if (type === 'message' && isPhase(phase)) {
      const last = phase ?? this.#phase;
      this.#phase = undefined;
      const providerMetadata = this.#metadata({
        itemId,
        ...(last !== undefined && { phase: last }),
      });
      this.emit({ type: 'text-end', id: itemId, providerMetadata });
      this.#items.delete(index);
      return { ...event, item: { type, id: item['id'], phase } };
    }
    if (type === 'reasoning' && areOptional(item, 'string', ['encrypted_content'])) {
      this.#endThought(itemId, (item['encrypted_content'] ?? null) as JSONValue);
      this.#items.delete(index);
      return { ...event, item: { type, id: item['id'] } };
    }
    if (type !== 'function_call' || !isCall(item) || !STATUSES.has(item['status']))
      return undefined;
    const async = item['async'] ?? this.#calls.get(index)?.async;
    this.#calls.delete(index);
    this.#hasCall = true;
    this.emit({ type: 'tool-input-end', id: item.call_id });
    this.emit({
      type: 'tool-call',
      toolCallId: item.call_id,
      toolName: item.name,
      input: item.arguments,
      providerMetadata: this.#metadata({
        itemId: item['id'],
        ...(!isMissing(async) && { async: async as boolean }),
      }),
    });
    return { ...event, item: { ...item, arguments: '' } };
  }

  #startSummary(itemId: string, index: number, encrypted: JSONValue): void {
    const providerMetadata = this.#metadata({ itemId, reasoningEncryptedContent: encrypted });
    this.emit({ type: 'reasoning-start', id: `${itemId}:${index}`, providerMetadata });
  }

  #endSummary(itemId: string, index: number, added: JSONObject = {}): void {
    const providerMetadata = this.#metadata({ itemId, ...added });
    this.emit({ type: 'reasoning-end', id: `${itemId}:${index}`, providerMetadata });
  }

  #openSummary(event: Fields): Taken {
    const { summary_index: index } = event;
    if (!hasItem(event) || !isIndex(index)) return undefined;
    const itemId = this.#idOf(event);
    const thought = this.#thoughts.get(itemId);
    // The first part starts with the item.
    if (index <= 0 || thought === undefined) return event;
    thought.parts.set(index, 'active');
    for (const [each, state] of inOrder(thought)) {
      if (state !== 'complete') continue;
      this.#endSummary(itemId, each);
      thought.parts.set(each, 'ended');
    }
    this.#startSummary(itemId, index, thought.encrypted);
    return event;
  }

  #closeSummary(event: Fields): Taken {
    const { summary_index: index } = event;
    if (!hasItem(event) || !isIndex(index)) return undefined;
    const itemId = this.#idOf(event);
    const thought = this.#thoughts.get(itemId);
    if (thought === undefined) return event;
    if (this.#stored) this.#endSummary(itemId, index);
    thought.parts.set(index, this.#stored ? 'ended' : 'complete');
    return event;
  }

  #endThought(itemId: string, reasoningEncryptedContent: JSONValue): void {
    const thought = this.#thoughts.get(itemId);
    if (thought === undefined) return;
    for (const [index, state] of inOrder(thought)) {
      if (state !== 'ended') this.#endSummary(itemId, index, { reasoningEncryptedContent });
    }
    this.#thoughts.delete(itemId);
  }

  #complete(event: Fields): Taken {
    const { response } = event;
    if (!isFields(response) || !areOptional(response, 'string', ['service_tier'])) return undefined;
    const { incomplete_details: details, usage, reasoning, service_tier } = response;
    const isPlain =
      (isMissing(details) || (isFields(details) && isString(details['reason']))) &&
      (isMissing(reasoning) ||
        (isFields(reasoning) && areOptional(reasoning, 'string', ['context']))) &&
      (isMissing(usage) || isUsage(usage));
    if (!isPlain) return undefined;
    // The rest repeats the response.
    this.#completed = { incomplete_details: details, usage, reasoning, service_tier };
    return { type: event['type'], response: this.#completed };
  }
}

const STATUSES = new Set<unknown>(['in_progress', 'completed', 'incomplete']);

const hasItem = (event: Fields): boolean =>
  isString(event['item_id']) && areOptional(event, 'number', ['output_index']);

const isIndex = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0;

const isPhase = (phase: unknown): phase is string | null | undefined =>
  isMissing(phase) || phase === 'commentary' || phase === 'final_answer';

const isResponse = (
  value: unknown,
): value is Fields & { id: string; created_at: number; model: string } =>
  isFields(value) &&
  isString(value['id']) &&
  isNumber(value['created_at']) &&
  isString(value['model']) &&
  areOptional(value, 'string', ['service_tier']);

/** `parallel` may be several calls in one. */
const isCall = (
  item: Fields,
): item is Fields & { call_id: string; name: string; arguments: string } =>
  isString(item['call_id']) &&
  isString(item['name']) &&
  item['name'] !== 'parallel' &&
  isString(item['arguments']) &&
  areOptional(item, 'boolean', ['async']) &&
  areMissing(item, ['namespace', 'caller']);

/** As the package iterates over them: by index. */
const inOrder = ({ parts }: Thought) => [...parts].toSorted(([a], [b]) => a - b);

const TOKENS = ['input_tokens', 'output_tokens'];
const INPUT = [
  'cached_tokens',
  'cache_write_tokens',
  'orchestration_input_tokens',
  'orchestration_input_cached_tokens',
];
const OUTPUT = ['reasoning_tokens', 'orchestration_output_tokens'];
const CACHE_WRITES = ['ttl_30m_tokens', 'ttl_12h_tokens'];

function isUsage(usage: unknown): boolean {
  if (!isFields(usage) || !TOKENS.every((name) => isNumber(usage[name]))) return false;
  if (usage['total_tokens'] !== undefined && !isNumber(usage['total_tokens'])) return false;
  const { input_tokens_details: input, output_tokens_details: output } = usage;
  const writes = isFields(input) ? input['cache_write_tokens_details'] : undefined;
  return areDetails(input, INPUT) && areDetails(output, OUTPUT) && areDetails(writes, CACHE_WRITES);
}

const areDetails = (details: unknown, names: readonly string[]): boolean =>
  isMissing(details) || (isFields(details) && areOptional(details, 'number', names));

const count = (details: unknown, name: string): number | undefined =>
  isFields(details) && isNumber(details[name]) ? details[name] : undefined;

function totals(usage: Fields): LanguageModelV4Usage {
  const { input_tokens_details: input, output_tokens_details: output } = usage;
  const [total, generated] = [usage['input_tokens'] as number, usage['output_tokens'] as number];
  const cacheRead = count(input, 'cached_tokens') ?? 0;
  const cacheWrite = count(input, 'cache_write_tokens');
  const reasoning = count(output, 'reasoning_tokens') ?? 0;
  return {
    inputTokens: { total, noCache: total - cacheRead - (cacheWrite ?? 0), cacheRead, cacheWrite },
    outputTokens: { total: generated, text: generated - reasoning, reasoning },
    raw: usage as JSONObject,
  };
}

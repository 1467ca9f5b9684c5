import type {
  JSONObject,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { Emit, Received } from '../codec.ts';
import { areMissing, areOptional, type Fields, isFields, isMissing, isString } from '../fields.ts';
import { NO_USAGE } from '../no-usage.ts';
import type { Replay } from '../package-decoder.ts';
import { SubsetDecoder, type Taken } from '../subset-decoder.ts';

/** What differs between OpenAI's package and the package for compatible services. */
export interface ChatDialect {
  readonly isCompatible: boolean;
  /** The name in provider metadata. */
  readonly metadataName: string;
}

interface CallDelta {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly args: string | undefined;
}

interface Call {
  readonly id: string;
  readonly name: string;
  args: string;
  /** Arguments of events that were not kept. */
  missed: string;
}

const FINISH: ReadonlyMap<string, LanguageModelV4FinishReason['unified']> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content-filter'],
  ['function_call', 'tool-calls'],
  ['tool_calls', 'tool-calls'],
]);

const REASONING = 'reasoning-0';

/** A response of the Chat Completions API with text, reasoning, and calls of functions. */
export class ChatDecoder extends SubsetDecoder {
  readonly #dialect: ChatDialect;
  readonly #textId: string;
  readonly #calls = new Map<number, Call>();
  #isAnnounced = false;
  #isText = false;
  #isReasoning = false;
  #usage: Fields | undefined;
  #finish: string | undefined;

  constructor(replay: Replay, received: Received, emit: Emit, dialect: ChatDialect) {
    super(replay, received, emit);
    this.#dialect = dialect;
    this.#textId = dialect.isCompatible ? 'txt-0' : '0';
  }

  protected take(event: Fields): Taken {
    const { id, model, created, choices, usage } = event;
    if ('error' in event || !Array.isArray(choices) || choices.length > 1) return undefined;
    if (!areOptional(event, 'string', ['id', 'model'])) return undefined;
    if (!(isMissing(created) || Number.isFinite(created))) return undefined;
    if (!(isMissing(usage) || isUsage(usage))) return undefined;
    const choice: unknown = choices[0];
    if (choice !== undefined && !this.#isKnown(choice)) return undefined;
    const delta = choice?.['delta'] as Fields | null | undefined;
    const calls = this.#callsIn(delta?.['tool_calls']);
    const reasoning = delta?.['reasoning_content'] ?? delta?.['reasoning'];
    // Reasoning after calls is rare, and the order of the package's parts would be lost.
    if (calls === undefined || (this.#calls.size > 0 && Boolean(reasoning))) return undefined;

    let isKept = false;
    if (!this.#isAnnounced && [id, model, created].some(Boolean)) {
      this.#isAnnounced = isKept = true;
      this.emit({
        type: 'response-metadata',
        ...(isString(id) && { id }),
        ...(isString(model) && { modelId: model }),
        ...(Boolean(created) && { timestamp: new Date((created as number) * 1000) }),
      });
    }
    if (isFields(usage)) this.#usage = usage;
    const finish = choice?.['finish_reason'];
    if (isString(finish)) {
      this.#finish = finish;
      isKept = true;
    }
    const content = delta?.['content'];
    const isContinued = this.#continues(reasoning, content);
    if (isString(reasoning)) this.#addReasoning(reasoning);
    if (isString(content)) this.#addText(content);
    if (calls.length > 0) this.#endReasoning();
    isKept ||= !isContinued || calls.some(({ index }) => !this.#calls.has(index));
    const args = calls.map((call) => this.#addCall(call, isKept));
    if (isKept) return withArguments(event, calls, args);
    // Packages do not count empty text as output.
    const hasOutput = Boolean(content) || Boolean(reasoning);
    return calls.length === 0 && hasOutput ? 'output' : 'ignored';
  }

  protected override missed() {
    const parts = [...this.#calls].filter(([, { missed }]) => missed !== '');
    const calls = parts.map(([index, { missed }]) => ({ index, function: { arguments: missed } }));
    const choices = calls.length === 0 ? [] : [{ index: 0, delta: { tool_calls: calls } }];
    return { events: [{ choices, usage: this.#usage ?? null }], parts: calls.length };
  }

  protected finish(): boolean {
    if (this.#finish === undefined) return false;
    this.#endReasoning();
    if (this.#isText) this.emit({ type: 'text-end', id: this.#textId });
    for (const [, { id, name, args }] of [...this.#calls].toSorted(([a], [b]) => a - b)) {
      this.emit({ type: 'tool-input-end', id });
      this.emit({ type: 'tool-call', toolCallId: id, toolName: name, input: args });
    }
    const { isCompatible, metadataName } = this.#dialect;
    const usage = this.#usage && (isCompatible ? this.#usage : knownUsage(this.#usage));
    this.emit({
      type: 'finish',
      finishReason: { unified: FINISH.get(this.#finish) ?? 'other', raw: this.#finish },
      usage: usage === undefined ? NO_USAGE : totals(usage as JSONObject, isCompatible),
      providerMetadata: { [metadataName]: predictions(usage) },
    });
    return true;
  }

  #isKnown(choice: unknown): choice is Fields {
    if (!isFields(choice) || !areOptional(choice, 'string', ['finish_reason'])) return false;
    const { delta, index, logprobs } = choice;
    const { isCompatible } = this.#dialect;
    if (!isCompatible && (typeof index !== 'number' || !isMissing(logprobs))) return false;
    if (isMissing(delta)) return true;
    if (!isFields(delta) || !areOptional(delta, 'string', ['content', ...REASONING_FIELDS])) {
      return false;
    }
    const { role } = delta;
    const isRole = isMissing(role) || role === 'assistant' || (isCompatible && role === '');
    if (!isCompatible && !areMissing(delta, REASONING_FIELDS)) return false;
    return isRole && areMissing(delta, ['refusal', 'annotations']);
  }

  /** Whether the texts only continue open blocks. */
  #continues(reasoning: unknown, content: unknown): boolean {
    const hasText = isString(content) && (content !== '' || !this.#dialect.isCompatible);
    if (isString(reasoning) && reasoning !== '' && (!this.#isReasoning || hasText)) return false;
    return !hasText || (this.#isText && !this.#isReasoning);
  }

  #addReasoning(delta: string): void {
    if (delta === '') return;
    if (this.#isText) this.emit({ type: 'text-end', id: this.#textId });
    this.#isText = false;
    if (!this.#isReasoning) this.emit({ type: 'reasoning-start', id: REASONING });
    this.#isReasoning = true;
    this.emit({ type: 'reasoning-delta', id: REASONING, delta });
  }

  #addText(delta: string): void {
    if (delta === '' && this.#dialect.isCompatible) return;
    this.#endReasoning();
    if (!this.#isText) this.emit({ type: 'text-start', id: this.#textId });
    this.#isText = true;
    this.emit({ type: 'text-delta', id: this.#textId, delta });
  }

  #endReasoning(): void {
    if (this.#isReasoning) this.emit({ type: 'reasoning-end', id: REASONING });
    this.#isReasoning = false;
  }

  /** Returns the arguments for a kept event, which include those of events before it that were not kept. */
  #addCall({ index, id, name, args }: CallDelta, isKept: boolean): string | undefined {
    const call = this.#calls.get(index) ?? { id, name, args: '', missed: '' };
    if (!this.#calls.has(index)) {
      this.#calls.set(index, call);
      this.emit({ type: 'tool-input-start', id, toolName: name });
      if (args === '') return args;
    }
    if (args === undefined) return undefined;
    call.args += args;
    const since = call.missed + args;
    call.missed = isKept ? '' : since;
    this.emit({ type: 'tool-input-delta', id: call.id, delta: args });
    return since;
  }

  /** Calls have an index. The first event has an ID and a name, others only continue the arguments. */
  #callsIn(calls: unknown): CallDelta[] | undefined {
    if (isMissing(calls)) return [];
    if (!Array.isArray(calls)) return undefined;
    const known: CallDelta[] = [];
    for (const each of calls) {
      const call = callOf(each);
      if (call === undefined) return undefined;
      const { index, id, name } = call;
      const open = this.#calls.get(index) ?? known.find((other) => other.index === index);
      const isNew = open === undefined;
      const isUsed = [...this.#calls.values(), ...known].some((other) => other.id === id);
      if (isNew ? id === '' || name === '' || isUsed : name !== '' || ![open.id, ''].includes(id)) {
        return undefined;
      }
      known.push(call);
    }
    return known;
  }
}

const REASONING_FIELDS = ['reasoning_content', 'reasoning'];

/** The event with other arguments of its calls. */
function withArguments(
  event: Fields,
  calls: readonly CallDelta[],
  args: readonly (string | undefined)[],
): Fields {
  if (calls.every((call, at) => call.args === args[at])) return event;
  const copy = structuredClone(event);
  const [{ delta }] = copy['choices'] as [
    { delta: { tool_calls: { function: { arguments?: unknown } }[] } },
  ];
  for (const [at, { function: called }] of delta.tool_calls.entries()) {
    if (args[at] !== undefined) called.arguments = args[at];
  }
  return copy;
}

function callOf(call: unknown): CallDelta | undefined {
  if (!isFields(call) || !areOptional(call, 'string', ['id', 'type'])) return undefined;
  const { index, id, type, function: of, extra_content } = call;
  if (typeof index !== 'number' || !isMissing(extra_content)) return undefined;
  if (!(isMissing(type) || type === 'function')) return undefined;
  if (!isFields(of) || !areOptional(of, 'string', ['name', 'arguments'])) return undefined;
  const { name, arguments: args } = of;
  return {
    index,
    id: notBlank(id),
    name: notBlank(name),
    args: isString(args) ? args : undefined,
  };
}

const notBlank = (value: unknown): string => (isString(value) && value.trim() !== '' ? value : '');

const COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'];
const INPUT_COUNTS = ['cached_tokens', 'cache_write_tokens'];
const OUTPUT_COUNTS = [
  'reasoning_tokens',
  'accepted_prediction_tokens',
  'rejected_prediction_tokens',
];

const areCounts = (usage: Fields, names: readonly string[]): boolean =>
  names.every((name) => isMissing(usage[name]) || Number.isFinite(usage[name]));

function isUsage(usage: unknown): usage is Fields {
  if (!isFields(usage) || !areCounts(usage, COUNTS)) return false;
  const { prompt_tokens_details: input, completion_tokens_details: output } = usage;
  return (
    (isMissing(input) || (isFields(input) && areCounts(input, INPUT_COUNTS))) &&
    (isMissing(output) || (isFields(output) && areCounts(output, OUTPUT_COUNTS)))
  );
}

const only = (value: unknown, names: readonly string[]): unknown =>
  isFields(value)
    ? Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]))
    : value;

/** The fields that OpenAI's package reads. */
const knownUsage = (usage: Fields): Fields => ({
  ...(only(usage, COUNTS) as Fields),
  ...('prompt_tokens_details' in usage && {
    prompt_tokens_details: only(usage['prompt_tokens_details'], INPUT_COUNTS),
  }),
  ...('completion_tokens_details' in usage && {
    completion_tokens_details: only(usage['completion_tokens_details'], OUTPUT_COUNTS),
  }),
});

type Counts = Record<string, number | null | undefined>;

function totals(usage: JSONObject, isCompatible: boolean): LanguageModelV4Usage {
  const { prompt_tokens, completion_tokens } = usage as Counts;
  const { cached_tokens, cache_write_tokens } = (usage['prompt_tokens_details'] ?? {}) as Counts;
  const { reasoning_tokens } = (usage['completion_tokens_details'] ?? {}) as Counts;
  const total = prompt_tokens ?? 0;
  const output = completion_tokens ?? 0;
  const cacheRead = cached_tokens ?? 0;
  const cacheWrite = isCompatible ? undefined : (cache_write_tokens ?? undefined);
  const reasoning = reasoning_tokens ?? 0;
  return {
    inputTokens: { total, noCache: total - cacheRead - (cacheWrite ?? 0), cacheRead, cacheWrite },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
    raw: usage,
  };
}

function predictions(usage: Fields | undefined): JSONObject {
  const output = (usage?.['completion_tokens_details'] ?? {}) as Counts;
  const { accepted_prediction_tokens: accepted, rejected_prediction_tokens: rejected } = output;
  return {
    ...(!isMissing(accepted) && { acceptedPredictionTokens: accepted }),
    ...(!isMissing(rejected) && { rejectedPredictionTokens: rejected }),
  };
}

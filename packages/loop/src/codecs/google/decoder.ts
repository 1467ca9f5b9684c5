import type {
  JSONObject,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { randomUUID } from 'node:crypto';
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
import { SubsetDecoder, type Taken } from '../subset-decoder.ts';

interface Text {
  readonly text: string;
  readonly isThought: boolean;
  readonly signature: string | undefined;
}

interface Call {
  readonly id: string;
  readonly name: string;
  /** Undefined: the call has none. */
  readonly args: string | undefined;
  readonly signature: string | undefined;
}

const FINISH: ReadonlyMap<string, LanguageModelV4FinishReason['unified']> = new Map([
  ['MAX_TOKENS', 'length'],
  ['IMAGE_SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['SAFETY', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['MALFORMED_FUNCTION_CALL', 'error'],
]);

/** A response of Google's API with text, thoughts, and calls of functions. */
export class GoogleDecoder extends SubsetDecoder {
  #isAnnounced = false;
  #block: { readonly type: 'text' | 'reasoning'; readonly id: string } | undefined;
  #blocks = 0;
  #hasCall = false;
  #usage: Fields | undefined;
  #finishReason: LanguageModelV4FinishReason | undefined;
  #finishMessage: string | null = null;

  protected take(event: Fields): Taken {
    const { responseId, candidates, usageMetadata: usage } = event;
    if (!areMissing(event, ['error', 'promptFeedback'])) return undefined;
    if (!isMissing(responseId) && !isString(responseId)) return undefined;
    if (!isMissing(usage) && !isUsage(usage)) return undefined;
    if (!isMissing(candidates) && !Array.isArray(candidates)) return undefined;
    if ((candidates?.length ?? 0) > 1) return undefined;
    const candidate: unknown = candidates?.[0];
    const parts = candidate === undefined ? [] : partsOf(candidate);
    if (parts === undefined) return undefined;

    if (!this.#isAnnounced && isString(responseId)) {
      this.#isAnnounced = true;
      this.emit({ type: 'response-metadata', id: responseId });
    }
    if (isFields(usage)) this.#usage = usage;
    const block = this.#block;
    for (const part of parts) {
      if ('text' in part) this.#addText(part);
      else this.#addCall(part);
    }
    const { finishReason: raw, finishMessage } = isFields(candidate) ? candidate : {};
    if (isString(finishMessage)) this.#finishMessage = finishMessage;
    if (isString(raw)) this.#finishReason = { unified: this.#unified(raw), raw };
    const onlyContinues = block !== undefined && block === this.#block && !isString(raw);
    return onlyContinues && !isString(finishMessage) ? 'output' : event;
  }

  protected override missed() {
    return { events: this.#usage === undefined ? [] : [{ usageMetadata: this.#usage }], parts: 0 };
  }

  protected finish(): boolean {
    if (this.#finishReason === undefined) return false;
    this.#endBlock();
    const usage = this.#usage as JSONObject | undefined;
    const google = {
      promptFeedback: null,
      groundingMetadata: null,
      urlContextMetadata: null,
      safetyRatings: null,
      usageMetadata: usage ?? null,
      finishMessage: this.#finishMessage,
      serviceTier: usage?.['serviceTier'] ?? this.received.headers['x-gemini-service-tier'] ?? null,
    };
    this.emit({
      type: 'finish',
      finishReason: this.#finishReason,
      usage: usage === undefined ? NO_USAGE : totals(usage),
      providerMetadata: { google },
    });
    return true;
  }

  #unified(raw: string): LanguageModelV4FinishReason['unified'] {
    if (raw === 'STOP') return this.#hasCall ? 'tool-calls' : 'stop';
    return FINISH.get(raw) ?? 'other';
  }

  #addText({ text, isThought, signature }: Text): void {
    const signed = signedBy(signature);
    const type = isThought ? 'reasoning' : 'text';
    if (text === '' && signature === undefined) return;
    if (text === '' && this.#block?.type === 'text') {
      this.emit({ type: 'text-delta', id: this.#block.id, delta: '', ...signed });
      return;
    }
    // A signature without text stays in its position.
    if (text === '' || this.#block?.type !== type) {
      this.#endBlock();
      this.#block = { type, id: String(this.#blocks++) };
      this.emit({ type: `${type}-start`, id: this.#block.id, ...signed });
    }
    this.emit({ type: `${type}-delta`, id: this.#block.id, delta: text, ...signed });
    if (text === '') this.#endBlock();
  }

  #addCall({ id, name, args, signature }: Call): void {
    const signed = signedBy(signature);
    this.#endBlock();
    this.#hasCall = true;
    this.emit({ type: 'tool-input-start', id, toolName: name, ...signed });
    if (args !== undefined) this.emit({ type: 'tool-input-delta', id, delta: args, ...signed });
    this.emit({ type: 'tool-input-end', id, ...signed });
    this.emit({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: args ?? '{}',
      ...signed,
    });
  }

  #endBlock(): void {
    if (this.#block !== undefined)
      this.emit({ type: `${this.#block.type}-end`, id: this.#block.id });
    this.#block = undefined;
  }
}

const signedBy = (thoughtSignature: string | undefined) =>
  thoughtSignature === undefined ? {} : { providerMetadata: { google: { thoughtSignature } } };

/** Undefined if a part is outside the subset. */
function partsOf(candidate: unknown): (Text | Call)[] | undefined {
  if (!isFields(candidate) || !areOptional(candidate, 'string', ['finishReason', 'finishMessage']))
    return undefined;
  if (candidate['finishReason'] === 'CONTINUATION' || !areMissing(candidate, GROUNDING))
    return undefined;
  const { content } = candidate;
  const parts = isFields(content) ? (content['parts'] ?? []) : [];
  if (!(isMissing(content) || isFields(content)) || !Array.isArray(parts)) return undefined;
  const known: (Text | Call)[] = [];
  for (const part of parts) {
    if (!isFields(part) || !areOptional(part, 'string', ['text', 'thoughtSignature']))
      return undefined;
    const signature =
      (part['thoughtSignature'] ?? '') === '' ? undefined : (part['thoughtSignature'] as string);
    if (!areMissing(part, OTHER_PARTS) || !areOptional(part, 'boolean', ['thought']))
      return undefined;
    const { text, functionCall } = part;
    if (functionCall !== undefined) {
      const call = callOf(functionCall, signature);
      if (call === undefined) return undefined;
      known.push(call);
    } else if (isString(text)) known.push({ text, isThought: part['thought'] === true, signature });
  }
  return known;
}

/** Also the token of a response that is continued by another request. */
const GROUNDING = ['continuationToken', 'safetyRatings', 'groundingMetadata', 'urlContextMetadata'];
const OTHER_PARTS = [
  'inlineData',
  'toolCall',
  'toolResponse',
  'executableCode',
  'codeExecutionResult',
];

function callOf(call: unknown, signature: string | undefined): Call | undefined {
  if (!isFields(call) || !areOptional(call, 'string', ['id']) || !isString(call['name']))
    return undefined;
  // Arguments in several events are an option of Vertex AI.
  if (!isMissing(call['partialArgs']) || (call['willContinue'] ?? false) !== false)
    return undefined;
  const { id, name, args } = call;
  return {
    id: isString(id) && id !== '' ? id : randomUUID(),
    name,
    args: isMissing(args) ? undefined : isString(args) ? args : JSON.stringify(args),
    signature,
  };
}

const COUNTS = [
  'promptTokenCount',
  'candidatesTokenCount',
  'toolUsePromptTokenCount',
  'totalTokenCount',
  'cachedContentTokenCount',
  'thoughtsTokenCount',
];
const DETAILS = [
  'promptTokensDetails',
  'cacheTokensDetails',
  'candidatesTokensDetails',
  'toolUsePromptTokensDetails',
];

const isUsage = (usage: unknown): boolean =>
  isFields(usage) &&
  areOptional(usage, 'number', COUNTS) &&
  areOptional(usage, 'string', ['trafficType', 'serviceTier']) &&
  DETAILS.every((name) => isMissing(usage[name]) || isDetails(usage[name]));

const isDetails = (details: unknown): boolean =>
  Array.isArray(details) &&
  details.every(
    (each) => isFields(each) && isString(each['modality']) && isNumber(each['tokenCount']),
  );

function totals(usage: JSONObject): LanguageModelV4Usage {
  const [prompt = 0, candidates = 0, tools = 0, , cacheRead = 0, reasoning = 0] = COUNTS.map(
    (name) => (usage[name] ?? 0) as number,
  );
  const total = prompt + tools;
  return {
    inputTokens: { total, noCache: total - cacheRead, cacheRead, cacheWrite: undefined },
    outputTokens: { total: candidates + reasoning, text: candidates, reasoning },
    raw: usage,
  };
}

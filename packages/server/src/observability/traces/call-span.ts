import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api';
import { AnswerParts } from '../answer-parts.ts';
import type { CallEnd, CallObserver, ModelCall } from '../observer.ts';
import { providerName } from '../provider-name.ts';
import type { Content } from './content.ts';
import * as name from './conventions.ts';

const ANSWER_CHARACTERS = 64_000;

export function callAttributes(call: ModelCall, content: Content | undefined): Attributes {
  const { maxOutputTokens, temperature, topP, topK, prompt } = call.options;
  const { presencePenalty, frequencyPenalty } = call.options;
  return {
    ...addressOf(call.url),
    [name.OPERATION]: 'chat',
    [name.PROVIDER]: providerName(call.provider).convention,
    [name.REQUEST_MODEL]: call.model,
    [name.CONVERSATION_ID]: call.chat.id,
    [name.MODEL_CONFIG_ID]: call.configId,
    [name.PURPOSE]: call.purpose,
    [name.ATTEMPT]: call.attempt,
    [name.REQUEST_MAX_TOKENS]: maxOutputTokens,
    [name.REQUEST_TEMPERATURE]: temperature,
    [name.REQUEST_TOP_P]: topP,
    [name.REQUEST_TOP_K]: topK,
    [name.REQUEST_PRESENCE_PENALTY]: presencePenalty,
    [name.REQUEST_FREQUENCY_PENALTY]: frequencyPenalty,
    [name.SYSTEM_INSTRUCTIONS]: content?.system(prompt),
    [name.INPUT_MESSAGES]: content?.input(prompt),
  };
}

/** A model call: `chat MODEL`. */
export class CallSpan implements CallObserver {
  readonly #span: Span;
  readonly #content: Content | undefined;
  readonly #answer = new AnswerParts(ANSWER_CHARACTERS);
  readonly part?: (part: LanguageModelV4StreamPart) => void;

  constructor(span: Span, content: Content | undefined) {
    this.#span = span;
    this.#content = content;
    if (content !== undefined) this.part = (part) => this.#answer.add(part);
  }

  ended(end: CallEnd): void {
    const span = this.#span;
    span.setAttributes(endAttributes(end));
    if (this.#content !== undefined) {
      const output = this.#content.output(this.#answer.list, end.finish?.unified);
      span.setAttribute(name.OUTPUT_MESSAGES, output);
    }
    if (end.how === 'failed') {
      const { kind, message, status_code } = end.failure;
      span.setAttributes({ [name.ERROR_TYPE]: kind, [name.HTTP_STATUS]: status_code });
      span.setStatus({ code: SpanStatusCode.ERROR, message });
    }
    span.end();
  }
}

function endAttributes(end: CallEnd): Attributes {
  const { usage, finish, firstTokenMs } = end;
  return {
    [name.RESPONSE_ID]: end.responseId,
    [name.RESPONSE_MODEL]: end.responseModel,
    [name.RESPONSE_FINISH_REASONS]: finish && [finish.unified],
    [name.RESPONSE_TIME_TO_FIRST_CHUNK]:
      firstTokenMs === undefined ? undefined : firstTokenMs / 1000,
    [name.INPUT_TOKENS]: usage?.inputTokens.total,
    [name.OUTPUT_TOKENS]: usage?.outputTokens.total,
    [name.CACHE_READ_TOKENS]: usage?.inputTokens.cacheRead,
    [name.CACHE_CREATION_TOKENS]: usage?.inputTokens.cacheWrite,
    [name.REASONING_TOKENS]: usage?.outputTokens.reasoning,
    [name.STOPPED]: end.how === 'stopped' ? end.why : undefined,
  };
}

/** Only the host of the URL: the rest may contain a name or a key. */
function addressOf(url: string | undefined): Attributes {
  if (url === undefined || !URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  return {
    [name.SERVER_ADDRESS]: hostname,
    [name.SERVER_PORT]: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
  };
}

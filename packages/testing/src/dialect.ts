import type { ScriptedAnswer } from './answer.ts';
import type { Api } from './api.ts';
import type { EventFrame, StreamFrame } from './frame.ts';
import type { Ids } from './ids.ts';
import type { Issued } from './issued.ts';
import type { JsonObject } from './json.ts';
import type { AnswerPart } from './parts.ts';
import type { Refusal } from './refusal.ts';
import type { Wire } from './wire.ts';

/** A parsed HTTP request. */
export interface WireRequest {
  method: string;
  path: string;
  /** The query string. */
  query: string;
  headers: Readonly<Record<string, string>>;
  body: JsonObject;
  /** The raw body, for verifying signatures. */
  raw: string;
}

export interface EncodeContext {
  request: WireRequest;
  ids: Ids;
  /** Seconds since the Unix epoch. */
  created: number;
}

/** Failures that all providers have in common. */
export type FailureKind =
  | 'overloaded'
  | 'rate-limit'
  | 'server'
  | 'unavailable'
  | 'context-too-long'
  | 'quota'
  | 'bad-key'
  | 'forbidden'
  | 'unknown-model'
  | 'content-filter';

/** Everything specific to one API. Pure, except that `learn` writes into `issued`. */
export interface Dialect {
  readonly api: Api;
  /** The path of `baseURL` for the AI SDK package of this family. */
  readonly basePath: string;
  /** Kinds of parts that this API can express. */
  readonly carries: ReadonlySet<AnswerPart['type']>;
  /** Whether the path belongs to this API. */
  serves(request: WireRequest): boolean;
  wantsStream(request: WireRequest): boolean;
  authorize(request: WireRequest, key: string | undefined): Refusal | undefined;
  validate(request: WireRequest, issued: Issued): Refusal | undefined;
  encode(answer: ScriptedAnswer, context: EncodeContext): StreamFrame[];
  /** Events after the last one of a recording, such as `[DONE]`. */
  readonly closing: readonly EventFrame[];
  readonly wire: Wire;
  /** Stream headers specific to this API. */
  streamHeaders?(
    answer: ScriptedAnswer | undefined,
    context: EncodeContext,
  ): Record<string, string>;
  /** Adds the framing to a recorded line. */
  frame(data: JsonObject): EventFrame;
  /** The non-streaming response, assembled from the events of a stream. */
  assemble(events: readonly JsonObject[]): JsonObject;
  /** Records values that the last of the sent events handed out. */
  learn(sent: readonly JsonObject[], issued: Issued): void;
  errorBody(refusal: Refusal): JsonObject;
  /** Error headers. */
  errorHeaders?(refusal: Refusal): Readonly<Record<string, string>>;
  failure(kind: FailureKind): Refusal;
  /** Events of a stream that fails midway. */
  errorEvents(refusal: Refusal, sent: readonly JsonObject[]): EventFrame[];
}

import type { Answer } from './answer.ts';
import type { Api } from './api.ts';
import type { EventFrame, Frame } from './frame.ts';
import type { Ids } from './ids.ts';
import type { Issued } from './issued.ts';
import type { JsonObject } from './json.ts';
import type { AnswerPart } from './parts.ts';
import type { Refusal } from './refusal.ts';
import type { Wire } from './wire.ts';

/** A request, read as far as HTTP goes. */
export interface WireRequest {
  method: string;
  path: string;
  /** What stands behind the question mark. */
  query: string;
  headers: Readonly<Record<string, string>>;
  body: JsonObject;
  /** The body to the byte, for those who sign it. */
  raw: string;
}

export interface EncodeContext {
  request: WireRequest;
  ids: Ids;
  /** Seconds since 1970. */
  created: number;
}

/** The failures that every provider knows, whatever it calls them. */
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

/** All that is particular to one API. Everything in it is pure, except that `learn` writes into `issued`. */
export interface Dialect {
  readonly api: Api;
  /** What the AI SDK's package of this family takes as `baseURL`, after the host. */
  readonly basePath: string;
  /** Kinds of parts that this API has a wire form for. */
  readonly carries: ReadonlySet<AnswerPart['type']>;
  /** Whether the path is one of this API's. */
  serves(request: WireRequest): boolean;
  wantsStream(request: WireRequest): boolean;
  authorise(request: WireRequest, key: string | undefined): Refusal | undefined;
  validate(request: WireRequest, issued: Issued): Refusal | undefined;
  encode(answer: Answer, context: EncodeContext): Frame[];
  /** Events that follow the last one of a recording, such as `[DONE]`. */
  readonly closing: readonly EventFrame[];
  readonly wire: Wire;
  /** Headers of a stream that only this API sends. */
  streamHeaders?(answer: Answer | undefined, context: EncodeContext): Record<string, string>;
  /** Gives a recorded line its framing. */
  frame(data: JsonObject): EventFrame;
  /** The answer to a request that does not stream, made of the events of one that does. */
  assemble(events: readonly JsonObject[]): JsonObject;
  /** Notes what the last of the events sent so far handed out. */
  learn(sent: readonly JsonObject[], issued: Issued): void;
  errorBody(refusal: Refusal): JsonObject;
  /** What an error says in headers. */
  errorHeaders?(refusal: Refusal): Readonly<Record<string, string>>;
  failure(kind: FailureKind): Refusal;
  /** What a stream says when it fails in the middle. */
  errorEvents(refusal: Refusal, sent: readonly JsonObject[]): EventFrame[];
}

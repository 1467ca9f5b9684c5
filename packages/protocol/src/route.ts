import type { z } from 'zod';
import type { ProblemCode } from './problem.ts';
import type { Scope } from './scope.ts';

/** An answer that is not JSON. */
export interface Media {
  readonly media: readonly string[];
}

export const media = (...types: string[]): Media => ({ media: types });

/** An answer that goes on: `text/event-stream`, or a WebSocket for whoever asks for one. */
export interface EventStream {
  readonly events: z.ZodType;
}

export const events = <T extends z.ZodType>(type: T): { readonly events: T } => ({ events: type });

/** An answer that goes both ways: a WebSocket, whose messages the text tells of, those of JSON by the names of their shapes. */
export interface TwoWay {
  readonly socket: string;
}

export const twoWay = (socket: string): TwoWay => ({ socket });

/**
 * One call of the API. The table of these is what the server binds its handlers to, what the OpenAPI document
 * is made from, and what the client's typed calls are derived from: none of them can drift.
 */
export interface Route {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/api/v1`, parameters as `{chat_id}`. */
  readonly path: `/${string}`;
  readonly tag: string;
  /** What it does, as a headline: without a full stop. */
  readonly summary: string;
  /** What there is to know besides: what it leaves alone, when it is done, what it is good for. Sentences, in Markdown. */
  readonly description: string;
  /** The scopes that a token needs, all of them. Null: the call needs no token. */
  readonly scope: RequiredScope;
  /** Its chat or token may belong to any user; only for calls that require an admin. */
  readonly anyOwner?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType | Media;
  /** How large the body may be, where that is not what it is for all. */
  readonly bodyBytes?: number;
  /** By status; null has no body. */
  readonly answers: Readonly<Record<number, z.ZodType | Media | EventStream | TwoWay | null>>;
  /** What it can refuse with, besides what every call can. */
  readonly refusals: readonly ProblemCode[];
  /** The request or the answer holds a secret, so nothing of it is kept: `Idempotency-Key` is ignored. */
  readonly secret?: true;
}

export type RequiredScope = Scope | readonly Scope[] | null;

/** The scopes that a token needs for a call, as a list. */
export const scopesOf = (scope: RequiredScope): readonly Scope[] =>
  scope === null ? [] : typeof scope === 'string' ? [scope] : scope;

export const route = <const R extends Route>(definition: R): R => definition;

type Shape = z.ZodType | Media | EventStream | TwoWay | null | undefined;

export const isMedia = (answer: Shape): answer is Media =>
  answer !== null && answer !== undefined && 'media' in answer;

export const isEventStream = (answer: Shape): answer is EventStream =>
  answer !== null && answer !== undefined && 'events' in answer;

export const isTwoWay = (answer: Shape): answer is TwoWay =>
  answer !== null && answer !== undefined && 'socket' in answer;

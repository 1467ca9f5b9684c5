import type { EventStream, Media, Route, RouteName, Routes, TwoWay } from '@chatd/protocol';
import type { z } from 'zod';
import type { Caller } from '../auth/caller.ts';
import type { Resources } from '../auth/resources.ts';
import type { Queryable } from '../store/statement.ts';
import type { Transaction } from '../store/transaction.ts';
import type { PreparedStream, TurnStart } from '../stream/streams.ts';
import type { Exchange } from './exchange.ts';
import type { WebSocketHandler } from './sockets/web-socket.ts';

/** A body that is not JSON. */
export interface Upload {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

type Parsed<R, Key extends 'params' | 'query'> =
  R extends Record<Key, infer Schema extends z.ZodType> ? z.output<Schema> : object;

type Body<R> = R extends { readonly body: infer B }
  ? B extends Media
    ? Upload
    : B extends z.ZodType
      ? z.output<B>
      : undefined
  : undefined;

type Found<R> = {
  readonly [
    Name in keyof Resources as `${Name}_id` extends keyof Parsed<R, 'params'> ? Name : never
  ]: Resources[Name];
};

/** A change that is recorded in the audit log, in its transaction. */
type Recorded = {
  readonly method: 'post' | 'put' | 'patch' | 'delete';
  readonly audit: { readonly action: string; readonly byHandler?: never };
};

/** An authorized and parsed request, with the resources that its path names. */
export interface Call<R extends Route> {
  readonly params: Parsed<R, 'params'>;
  readonly query: Parsed<R, 'query'>;
  readonly body: Body<R>;
  readonly caller: R['scope'] extends null ? Caller | null : Caller;
  readonly found: Found<R>;
  /** For all reads and writes of the call. */
  readonly db: Queryable;
  /**
   * The transaction that also writes the audit event, and stores the response of a request with an Idempotency-Key.
   * Undefined: neither.
   */
  readonly tx: R extends Recorded ? Transaction : Transaction | undefined;
  /** Writes the audit event of a route with `byHandler`. The target is the one in the path, else `targetId`. */
  readonly record: (db: Queryable, targetId?: string) => Promise<void>;
  readonly exchange: Exchange;
}

type Headers = { readonly headers?: Readonly<Record<string, string>> };

type ResponseOf<Status extends number, Shape> = Shape extends null
  ? { readonly status: Status } & Headers
  : Shape extends Media
    ? {
        readonly status: Status;
        readonly media: string;
        readonly content: string | Buffer | ReadableStream<Uint8Array>;
      } & Headers
    : Shape extends EventStream
      ? { readonly status: Status; readonly stream: PreparedStream }
      : Shape extends TwoWay
        ? { readonly status: Status; readonly socket: WebSocketHandler }
        : Shape extends z.ZodType
          ? { readonly status: Status; readonly body: z.input<Shape> } & Headers
          : never;

/** Where a stream of the turn would start. Without it, it is looked up. */
type Turn<R> = R extends { readonly streamed: true } ? { readonly turn?: TurnStart } : object;

/** A table instead of JSON. */
type Csv<R> = R extends { readonly csv: true }
  ? { readonly status: 200; readonly media: 'text/csv; charset=utf-8'; readonly content: string }
  : never;

/** Work between the commit of a recorded change and the response. */
type AfterCommit<R> = R extends Recorded ? { readonly afterCommit?: () => Promise<void> } : object;

/** One of the responses that the table lists for the route. */
export type RouteResponse<R extends Route> =
  | (Turn<R> &
      AfterCommit<R> &
      {
        [Status in keyof R['answers'] & number]: ResponseOf<Status, R['answers'][Status]>;
      }[keyof R['answers'] & number])
  | Csv<R>;

export type Handler<R extends Route> = (call: Call<R>) => Promise<RouteResponse<R>>;

/** The handlers of all routes with a tag. A missing one does not compile. */
export type HandlersOf<Tag extends string> = {
  readonly [Name in RouteName as Routes[Name]['tag'] extends Tag ? Name : never]: Handler<
    Routes[Name]
  >;
};

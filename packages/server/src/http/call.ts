import type { EventStream, Media, Route, RouteName, Routes, TwoWay } from '@chatd/protocol';
import type { z } from 'zod';
import type { Caller } from '../auth/caller.ts';
import type { Resources } from '../auth/resources.ts';
import type { Queryable } from '../store/statement.ts';
import type { Transaction } from '../store/transaction.ts';
import type { PreparedStream } from '../stream/streams.ts';
import type { Exchange } from './exchange.ts';
import type { Meeting } from './sockets/peer.ts';

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

/** A request that was let in: all of it parsed, what its path names found, and its caller's to use. */
export interface Call<R extends Route> {
  readonly params: Parsed<R, 'params'>;
  readonly query: Parsed<R, 'query'>;
  readonly body: Body<R>;
  readonly caller: R['scope'] extends null ? Caller | null : Caller;
  readonly found: Found<R>;
  /** Everything that belongs to the call is read and written here. */
  readonly db: Queryable;
  /** The transaction that also keeps the answer, when the client gave an Idempotency-Key. */
  readonly tx: Transaction | undefined;
  readonly exchange: Exchange;
}

type Headers = { readonly headers?: Readonly<Record<string, string>> };

type AnswerOf<Status extends number, Shape> = Shape extends null
  ? { readonly status: Status } & Headers
  : Shape extends Media
    ? {
        readonly status: Status;
        readonly media: string;
        readonly content: string | Buffer;
      } & Headers
    : Shape extends EventStream
      ? { readonly status: Status; readonly stream: PreparedStream }
      : Shape extends TwoWay
        ? { readonly status: Status; readonly meet: Meeting }
        : Shape extends z.ZodType
          ? { readonly status: Status; readonly body: z.input<Shape> } & Headers
          : never;

/** One of the answers that the table lists for the call. */
export type Answer<R extends Route> = {
  [Status in keyof R['answers'] & number]: AnswerOf<Status, R['answers'][Status]>;
}[keyof R['answers'] & number];

export type Handler<R extends Route> = (call: Call<R>) => Promise<Answer<R>>;

/** The handlers of all calls that the table has under a tag: one that is missing does not compile. */
export type HandlersOf<Tag extends string> = {
  readonly [Name in RouteName as Routes[Name]['tag'] extends Tag ? Name : never]: Handler<
    Routes[Name]
  >;
};

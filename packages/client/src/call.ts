import type { EventStream, Media, Route, RouteName, Routes, TwoWay } from '@chatd/protocol';

/**
 * Operations with a single response. Read event streams with `client.chats.stream` and `client.watch`; the others are
 * WebSockets.
 */
export type CallName = {
  [Name in RouteName]: Extract<AnswerShape<Routes[Name]>, EventStream | TwoWay> extends never
    ? Name
    : never;
}[RouteName];

type AnswerShape<R extends Route> = R['answers'][keyof R['answers']];

/*
 * The input and output types of a zod schema, without importing zod.
 */
type Input<Schema> = Schema extends { readonly _zod: { readonly input: infer T } } ? T : never;
type Output<Schema> = Schema extends { readonly _zod: { readonly output: infer T } } ? T : never;

/** Paths and query strings are text, so the parsed type is accepted too. */
type Written<Schema> = {
  [Key in keyof Input<Schema>]:
    | Input<Schema>[Key]
    | (Key extends keyof Output<Schema> ? Output<Schema>[Key] : never);
};

/** The content of a file. */
export type Bytes = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;

type Field<R, Key extends string, T> =
  R extends Readonly<Record<Key, unknown>>
    ? object extends T
      ? { readonly [K in Key]?: T | undefined }
      : { readonly [K in Key]: T }
    : { readonly [K in Key]?: undefined };

type Schema<R, Key extends 'params' | 'query' | 'body'> =
  R extends Readonly<Record<Key, infer S>> ? S : never;

type BodyField<R> = [Schema<R, 'body'>] extends [Media]
  ? { readonly body: Bytes; readonly contentType?: string | undefined }
  : Field<R, 'body', Input<Schema<R, 'body'>>>;

/** Options of every call. */
export interface CallOptions {
  /** Aborting ends the call, which throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** For POST and PATCH: a repeated request with the same key and body has no further effect. Default: a random key. */
  readonly idempotencyKey?: string | undefined;
}

/** The input of a call. */
export type CallInput<Name extends RouteName> = Field<
  Routes[Name],
  'params',
  Written<Schema<Routes[Name], 'params'>>
> &
  Field<Routes[Name], 'query', Written<Schema<Routes[Name], 'query'>>> &
  ([Schema<Routes[Name], 'body'>] extends [never]
    ? { readonly body?: undefined }
    : BodyField<Routes[Name]>) &
  CallOptions;

type AnswerOf<Shape> = Shape extends null ? undefined : Shape extends Media ? File : Output<Shape>;

/** The result of a call: parsed JSON, a file, or undefined. */
export type CallAnswer<Name extends CallName> = AnswerOf<AnswerShape<Routes[Name]>>;

/** The body of a call. */
export type BodyOf<Name extends RouteName> = NonNullable<CallInput<Name>['body']>;

/** The query parameters of a call. */
export type QueryOf<Name extends RouteName> = NonNullable<CallInput<Name>['query']>;

/** The input is optional if all its fields are. */
export type CallArguments<Name extends RouteName> =
  object extends CallInput<Name> ? [input?: CallInput<Name>] : [input: CallInput<Name>];

import type { EventStream, Media, Route, RouteName, Routes, TwoWay } from '@chatd/protocol';

/** The calls that answer once. Streams go on: `client.chats.stream` and `client.watch` read them; others are WebSockets. */
export type CallName = {
  [Name in RouteName]: Extract<AnswerShape<Routes[Name]>, EventStream | TwoWay> extends never
    ? Name
    : never;
}[RouteName];

type AnswerShape<R extends Route> = R['answers'][keyof R['answers']];

/* What zod knows of a schema, without importing it. */
type Input<Schema> = Schema extends { readonly _zod: { readonly input: infer T } } ? T : never;
type Output<Schema> = Schema extends { readonly _zod: { readonly output: infer T } } ? T : never;

/** In paths and query strings everything is text: what it stands for is written as such. */
type Written<Schema> = {
  [Key in keyof Input<Schema>]:
    | Input<Schema>[Key]
    | (Key extends keyof Output<Schema> ? Output<Schema>[Key] : never);
};

/** The bytes of a file. */
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

/** What every call takes besides what it is about. */
export interface CallOptions {
  /** Aborting ends the call, which throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** For a POST or a PATCH: the same key with the same body does nothing twice. One is made where none is given. */
  readonly idempotencyKey?: string | undefined;
}

/** What a call takes. */
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

/** What it answers: what was sent as JSON, the bytes of what was not, or nothing. */
export type CallAnswer<Name extends CallName> = AnswerOf<AnswerShape<Routes[Name]>>;

/** The body of a call, as one gives it. */
export type BodyOf<Name extends RouteName> = NonNullable<CallInput<Name>['body']>;

/** The query of a call, as one gives it. */
export type QueryOf<Name extends RouteName> = NonNullable<CallInput<Name>['query']>;

/** Nothing that a call takes has to be given. */
export type CallArguments<Name extends RouteName> =
  object extends CallInput<Name> ? [input?: CallInput<Name>] : [input: CallInput<Name>];

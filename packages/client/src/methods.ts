import type { RouteName, Routes } from '@chatd/protocol';
import type { BodyOf, CallAnswer, CallInput, CallName, CallOptions, QueryOf } from './call.ts';
import type { Connection } from './connection.ts';
import { NAMESPACES } from './namespaces.ts';
import { perform } from './perform.ts';
import type { AnyInput } from './request.ts';
import { ROUTES } from './route-table.ts';
import { type RouteRow, has } from './routes.ts';

/** The parameter names of a path, in order. */
type ParamsIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [Name, ...ParamsIn<Rest>]
  : [];

type Values<Names extends readonly unknown[], Params> = {
  [Index in keyof Names]: Names[Index] extends keyof Params ? Params[Names[Index]] : never;
};

type PathArguments<Name extends RouteName> = Values<
  ParamsIn<Routes[Name]['path']>,
  NonNullable<CallInput<Name>['params']>
>;

type BodyArguments<Name extends RouteName> = Routes[Name] extends { readonly body: unknown }
  ? [body: BodyOf<Name>]
  : [];

type QueryArguments<Name extends RouteName> = Routes[Name] extends { readonly query: unknown }
  ? object extends QueryOf<Name>
    ? [query?: QueryOf<Name> | undefined]
    : [query: QueryOf<Name>]
  : [];

/** Path parameters, then body, then query, as far as the operation has them; then the options. */
export type Method<Name extends CallName> = (
  ...args: [
    ...PathArguments<Name>,
    ...BodyArguments<Name>,
    ...QueryArguments<Name>,
    options?: CallOptions | undefined,
  ]
) => Promise<CallAnswer<Name>>;

export type Methods = {
  readonly [N in keyof typeof NAMESPACES]: {
    readonly [
      M in keyof (typeof NAMESPACES)[N]
    ]: (typeof NAMESPACES)[N][M] extends infer Name extends CallName ? Method<Name> : never;
  };
};

export function methodsOf(connection: Connection): Methods {
  const method =
    (row: RouteRow) =>
    (...args: readonly unknown[]) =>
      perform(connection, row, inputOf(row, args));
  return Object.fromEntries(
    Object.entries(NAMESPACES).map(([namespace, methods]) => [
      namespace,
      Object.fromEntries(
        Object.entries<CallName>(methods).map(([name, call]) => [name, method(ROUTES[call])]),
      ),
    ]),
    // The types are derived from the same table.
  ) as unknown as Methods;
}

function inputOf(row: RouteRow, args: readonly unknown[]): AnyInput {
  const rest = [...args];
  const names = Array.from(row[1].matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const params = Object.fromEntries(names.map((name) => [name, rest.shift()]));
  const body = has(row, 'body') || has(row, 'bytes') ? rest.shift() : undefined;
  const query = has(row, 'query') ? rest.shift() : undefined;
  const options = rest.shift() as CallOptions | undefined;
  return { ...options, params, body, query } as AnyInput;
}

import type { CallAnswer, CallInput, CallName, ItemOf, PagedName } from '@chatd/client';
import { type QueryKey, queryOptions, useQueryClient } from '@tanstack/react-query';
import { client } from './client.ts';

/** The client's types make `input` optional for some calls; generic code always passes it. */
const asked = client as unknown as {
  readonly call: <Name extends CallName>(
    name: Name,
    input: CallInput<Name>,
  ) => Promise<CallAnswer<Name>>;
  readonly iterate: <Name extends PagedName>(
    name: Name,
    input: object,
  ) => AsyncGenerator<ItemOf<Name>, void, undefined>;
};

/** The query options of an API call. Components that use the same call and input share one request. */
export const apiQuery = <Name extends CallName>(
  name: Name,
  input: CallInput<Name> = {} as CallInput<Name>,
) =>
  queryOptions({
    queryKey: [name, input],
    queryFn: ({ signal }) => asked.call(name, { ...input, signal }),
  });

const PAGE = 200;

/** All items of a paged list. */
export const allPages = <Name extends PagedName>(
  name: Name,
  input: { readonly params?: object; readonly query?: object } = {},
) => {
  const queryKey: QueryKey = [name, input, 'all'];
  return queryOptions({
    queryKey,
    async queryFn({ signal }): Promise<ItemOf<Name>[]> {
      const items: ItemOf<Name>[] = [];
      const query = { ...input.query, limit: PAGE };
      for await (const item of asked.iterate(name, { ...input, query, signal })) items.push(item);
      return items;
    },
  });
};

/**
 * Refetches visible queries now and all others when they are next used. Settings change rarely, and many queries depend
 * on them.
 */
export function useInvalidateQueries(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries();
}

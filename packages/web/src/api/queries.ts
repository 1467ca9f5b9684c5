import type { CallAnswer, CallInput, CallName, ItemOf, PagedName } from '@chatd/client';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { client } from './client.ts';

/** The client with its inputs given in any case, which it lets one leave out where all of it may be. */
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

/** A call of the API as a question that is asked once for all who show its answer. */
export const question = <Name extends CallName>(
  name: Name,
  input: CallInput<Name> = {} as CallInput<Name>,
) =>
  queryOptions({
    queryKey: [name, input],
    queryFn: ({ signal }) => asked.call(name, { ...input, signal }),
  });

const PAGE = 200;

/** Every item of a list, over all its pages. */
export const wholeList = <Name extends PagedName>(name: Name, input: object = {}) =>
  queryOptions({
    queryKey: [name, input, 'all'],
    async queryFn({ signal }): Promise<ItemOf<Name>[]> {
      const items: ItemOf<Name>[] = [];
      for await (const item of asked.iterate(name, { ...input, query: { limit: PAGE }, signal })) {
        items.push(item);
      }
      return items;
    },
  });

/**
 * After something was changed: what is shown is asked for again, and everything else when it is shown next. Changes in
 * settings are rare, and many answers depend on each of them.
 */
export function useChanged(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries();
}

import type { Message } from '@chatd/protocol';
import type { CallAnswer, CallInput, CallName, CallOptions } from './call.ts';
import type { Connection } from './connection.ts';
import { perform } from './perform.ts';
import type { AnyInput } from './request.ts';
import { ROUTES } from './route-table.ts';

/** Operations with paginated results. */
export type PagedName = {
  [Name in CallName]: CallAnswer<Name> extends { readonly next_cursor: string | null }
    ? Name
    : never;
}[CallName];

/** The item type of a paginated list. */
export type ItemOf<Name extends PagedName> = {
  // `listMessages` also returns the queue.
  [
    Key in Exclude<keyof CallAnswer<Name>, 'queued_messages'>
  ]: CallAnswer<Name>[Key] extends readonly (infer Item)[] ? Item : never;
}[Exclude<keyof CallAnswer<Name>, 'queued_messages'>];

/** Iterates over all items, fetching pages on demand. */
export async function* iterate<Name extends PagedName>(
  connection: Connection,
  name: Name,
  input: CallInput<Name> | undefined,
): AsyncGenerator<ItemOf<Name>, void, undefined> {
  const given = (input ?? {}) as AnyInput;
  let cursor: string | null | undefined = given.query?.['cursor'] as string | undefined;
  do {
    const query = { ...given.query, cursor };
    const page = (await perform(connection, ROUTES[name], { ...given, query })) as {
      readonly next_cursor: string | null;
    };
    // A page has one list and `next_cursor`.
    const items = Object.values(page).find((value) => Array.isArray(value)) as ItemOf<Name>[];
    yield* items;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

const PAGE = 200;

/** Iterates over all messages, newest first. */
export async function* eachMessage(
  connection: Connection,
  chatId: string,
  options: CallOptions = {},
): AsyncGenerator<Message, void, undefined> {
  let before: number | undefined;
  for (;;) {
    const { messages, has_more } = (await perform(connection, ROUTES.listMessages, {
      ...options,
      params: { chat_id: chatId },
      query: { limit: PAGE, before_id: before },
    })) as CallAnswer<'listMessages'>;
    for (let index = messages.length - 1; index >= 0; index -= 1) yield messages[index] as Message;
    before = messages[0]?.id;
    if (!has_more || before === undefined) return;
  }
}

import type { Message } from '@chatd/protocol';
import type { CallAnswer, CallInput, CallName, CallOptions } from './call.ts';
import type { Connection } from './connection.ts';
import { perform } from './perform.ts';
import type { AnyInput } from './request.ts';
import { ROUTES } from './routes.ts';

/** The calls that answer page by page. */
export type PagedName = {
  [Name in CallName]: CallAnswer<Name> extends { readonly next_cursor: string | null }
    ? Name
    : never;
}[CallName];

/** What the pages of a call are made of. */
export type ItemOf<Name extends PagedName> = {
  // `listMessages` answers with the queue beside its page.
  [
    Key in Exclude<keyof CallAnswer<Name>, 'queued_messages'>
  ]: CallAnswer<Name>[Key] extends readonly (infer Item)[] ? Item : never;
}[Exclude<keyof CallAnswer<Name>, 'queued_messages'>];

/** Every item of every page, each page asked for when it is needed. */
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
    // A page is one list and the cursor of the next.
    const items = Object.values(page).find((value) => Array.isArray(value)) as ItemOf<Name>[];
    yield* items;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

const PAGE = 200;

/** The whole history of a chat, newest first: that is where one usually wants to stop. */
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

import type { CallAnswer, Client } from '@chatd/client';
import { usageError } from '../command-failed.ts';
import { isId } from '../resources/pick.ts';

export type Chat = CallAnswer<'getChat'>;

/**
 * Finds a chat by its ID, or one of the 200 latest chats of yours and of those that are shared with you by the beginning or
 * end of its ID, or by its title.
 */
export async function findChat(client: Client, word: string): Promise<Chat> {
  if (isId(word)) {
    return await client.call('getChat', { params: { chat_id: word.toLowerCase() } });
  }
  const lists = await Promise.all([
    client.call('listChats', { query: { limit: '200' } }),
    client.call('listChats', { query: { limit: '200', shared: 'with_me' } }),
  ]);
  const chats = lists.flatMap((list) => list.chats);
  const wanted = word.toLowerCase();
  const byId = chats.filter(({ id }) => id.startsWith(wanted) || id.endsWith(wanted));
  const byTitle = chats.filter(({ title }) => title.toLowerCase() === wanted);
  const found = byId.length > 0 ? byId : byTitle;
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  throw usageError(
    found.length === 0
      ? `None of your recent chats has the title ${JSON.stringify(word)}, or an ID that matches it.`
      : `${JSON.stringify(word)} matches ${found.length} chats. Use the ID.`,
    'See chatd chats list, and chatd chats list --shared.',
  );
}

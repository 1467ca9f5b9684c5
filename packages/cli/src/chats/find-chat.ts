import type { CallAnswer, Client } from '@chatd/client';
import { usageError } from '../command-failed.ts';

export type Chat = CallAnswer<'getChat'>;

/** A whole id is not looked up: what may not be seen does not exist. The beginning of one is looked for. */
export async function findChat(client: Client, word: string): Promise<Chat> {
  if (/^[0-9a-f-]{36}$/i.test(word)) {
    return await client.call('getChat', { params: { chat_id: word.toLowerCase() } });
  }
  const { chats } = await client.call('listChats', { query: { limit: '200' } });
  const found = chats.filter(({ id }) => id.startsWith(word.toLowerCase()) || id.endsWith(word));
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  throw usageError(
    found.length === 0
      ? `None of your latest chats has an id like ${JSON.stringify(word)}.`
      : `${found.length} of your chats have an id like ${JSON.stringify(word)}.`,
    'See chatd chats list.',
  );
}

import type { CallAnswer, Client } from '@chatd/client';
import { usageError } from '../command-failed.ts';

export type Chat = CallAnswer<'getChat'>;

/** Finds a chat by its ID, or one of your 200 latest chats by the beginning or end of its ID. */
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
      ? `None of your recent chats has an ID that matches ${JSON.stringify(word)}.`
      : `${JSON.stringify(word)} matches the IDs of ${found.length} chats.`,
    'See chatd chats list.',
  );
}

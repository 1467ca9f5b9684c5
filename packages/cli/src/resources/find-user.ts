import type { CallAnswer, Client } from '@chatd/client';
import { toArray } from '../output/to-array.ts';
import { pick } from './pick.ts';

type User = CallAnswer<'getMe'>;

export const listUsers = (client: Client): Promise<User[]> =>
  toArray(client.users.each({ limit: 200 }));

/** By name or ID. */
export async function findUser(client: Client, word: string): Promise<User> {
  return pick(await listUsers(client), word, 'user', ({ username }) => [username]);
}

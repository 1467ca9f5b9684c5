import type { CallAnswer, Client } from '@chatd/client';
import { collect } from '../output/collect.ts';
import { pick } from './pick.ts';

export type User = CallAnswer<'getMe'>;

export const listUsers = (client: Client): Promise<User[]> =>
  collect(client.users.each({ limit: 200 }));

/** By name or id. */
export async function findUser(client: Client, word: string): Promise<User> {
  return pick(await listUsers(client), word, 'user', ({ username }) => [username]);
}

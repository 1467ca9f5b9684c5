import { randomUUID } from 'node:crypto';
import type { User } from '@chatd/protocol';
import { type Api, RequestRefused } from '../clients/api.ts';

/** Adds a user with a token. */
export async function addUser(admin: Api): Promise<{ id: string; token: string }> {
  const { id } = await newUser(admin);
  const { token } = await admin.post<{ token: string }>('/tokens', { name: 'soak', user_id: id });
  return { id, token };
}

async function newUser(admin: Api): Promise<User> {
  for (;;) {
    try {
      return await admin.post<User>('/users', { username: `soak-${randomUUID()}` });
    } catch (error) {
      // An attempt without a response has created the user. Requests that return secrets accept no idempotency key.
      if (!(error instanceof RequestRefused && error.retried && error.status === 409)) throw error;
    }
  }
}

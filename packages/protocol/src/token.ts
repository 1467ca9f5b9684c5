import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';
import { Scope } from './scope.ts';

export const Token = z
  .object({
    id: Uuid.describe('ID of the token, used to revoke it. Not the secret.'),
    user_id: Uuid.describe('Owner of the token.'),
    name: z.string().meta({ description: 'Name of the token.', examples: ['ci'] }),
    scopes: z
      .array(Scope)
      .nullable()
      .describe('Permissions of the token. Null: everything its user can do.'),
    created_at: Timestamp.describe('Creation time. Lists are sorted by it.'),
    expires_at: Timestamp.nullable().describe(
      'Expiry time. Later requests fail with `token_expired`. Null: never.',
    ),
    last_used_at: Timestamp.nullable().describe(
      'Time of the last use, to the minute. Null: never.',
    ),
  })
  .meta({ id: 'Token', description: 'An API token, without its secret.' });
export type Token = z.infer<typeof Token>;

export const CreatedToken = Token.extend({
  token: z
    .string()
    .describe(
      'The secret, for `Authorization: Bearer`. Returned only once; the server stores only a hash.',
    ),
}).meta({ id: 'CreatedToken', description: 'A new API token, with its secret.' });
export type CreatedToken = z.infer<typeof CreatedToken>;

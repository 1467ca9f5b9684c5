import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';
import { Scope } from './scope.ts';

export const Token = z
  .object({
    id: Uuid.describe('Names the token in paths, to revoke it. Not its secret.'),
    user_id: Uuid.describe('Whose token it is.'),
    name: z.string().meta({ description: 'What it is called, for people.', examples: ['ci'] }),
    scopes: z
      .array(Scope)
      .nullable()
      .describe('What it may be used for. Null: everything that its user may do.'),
    created_at: Timestamp.describe('When it was made: the order of lists.'),
    expires_at: Timestamp.nullable().describe(
      'From then on it is refused with `token_expired`. Null: never.',
    ),
    last_used_at: Timestamp.nullable().describe(
      'When it was last used, to the minute. Null: never.',
    ),
  })
  .meta({ id: 'Token', description: 'An API token, without its secret.' });
export type Token = z.infer<typeof Token>;

export const CreatedToken = Token.extend({
  token: z
    .string()
    .describe(
      'The secret, for `Authorization: Bearer`. Shown this once; the server keeps only its hash.',
    ),
}).meta({ id: 'CreatedToken', description: 'An API token that was just made, with its secret.' });
export type CreatedToken = z.infer<typeof CreatedToken>;

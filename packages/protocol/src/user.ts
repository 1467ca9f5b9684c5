import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';

export const UserRole = enumeration('UserRole', 'What a user may do.', {
  admin: 'everything, in the whole deployment',
  member: 'everything with what is their own',
});
export type UserRole = z.infer<typeof UserRole>;

export const Username = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be lower-case letters, digits, dot, _ or -');

export const Password = z.string().min(8, 'must have at least 8 characters').max(1024);

/** Per month; null: the limit in the settings holds. */
export const SpendLimit = z
  .int()
  .nonnegative()
  .nullable()
  .describe(
    'What the user may spend in a calendar month (UTC), in millionths of the currency of the prices. Null: as the settings say.',
  );

export const User = z
  .object({
    id: Uuid.describe('Names the user in paths. Ids sort by the time at which users were made.'),
    username: z.string().meta({
      description: 'Unique; what somebody signs in with. It does not change.',
      examples: ['ada'],
    }),
    role: UserRole.describe('What the user may do.'),
    has_password: z
      .boolean()
      .describe('False: the user signs in by a link that an admin makes, or has tokens only.'),
    suspended: z
      .boolean()
      .describe(
        'True: the user cannot sign in, their tokens are refused, and their chats do not run.',
      ),
    spend_limit_micros: SpendLimit,
    created_at: Timestamp.describe('When the user was made.'),
  })
  .meta({ id: 'User', description: 'Somebody who has chats.' });
export type User = z.infer<typeof User>;

import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';

export const UserRole = enumeration('UserRole', 'Role of a user.', {
  admin: 'full access to the deployment',
  member: 'access to their own data',
  auditor: 'access to their own data and the audit log',
});
export type UserRole = z.infer<typeof UserRole>;

export const Username = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be lower-case letters, digits, dots, _ or -');

export const Password = z.string().min(8, 'must have at least 8 characters').max(1024);

export const SpendLimit = z
  .int()
  .nonnegative()
  .nullable()
  .describe(
    'Spend limit of the user per calendar month (UTC), in millionths of a US dollar. Null: the limit in the settings.',
  );

export const User = z
  .object({
    id: Uuid.describe('ID of the user. IDs sort by creation time.'),
    username: z.string().meta({
      description: 'Unique user name for signing in. Cannot be changed.',
      examples: ['ada'],
    }),
    role: UserRole.describe('Role of the user.'),
    has_password: z
      .boolean()
      .describe(
        'True if the user has a password. False: the user signs in with single sign-on or with links created by an admin, or uses only tokens.',
      ),
    suspended: z
      .boolean()
      .describe(
        'True if the user cannot sign in, their tokens are rejected and their chats do not run.',
      ),
    spend_limit_micros: SpendLimit,
    created_at: Timestamp.describe('Creation time.'),
  })
  .meta({ id: 'User', description: 'A user account.' });
export type User = z.infer<typeof User>;

import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';

export const UserRole = z.enum(['admin', 'member']);
export type UserRole = z.infer<typeof UserRole>;

export const Username = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be lower-case letters, digits, dot, _ or -');

export const Password = z.string().min(8, 'must have at least 8 characters').max(1024);

/** Per month; null: the limit in the settings holds. */
export const SpendLimit = z.int().nonnegative().nullable();

export const User = z
  .object({
    id: Uuid,
    username: z.string(),
    role: UserRole,
    has_password: z.boolean(),
    spend_limit_micros: SpendLimit,
    created_at: Timestamp,
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof User>;

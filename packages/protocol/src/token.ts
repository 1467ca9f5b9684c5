import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';
import { Scope } from './scope.ts';

export const Token = z
  .object({
    id: Uuid,
    user_id: Uuid,
    name: z.string(),
    /** null: everything that its user may do. */
    scopes: z.array(Scope).nullable(),
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: 'Token' });
export type Token = z.infer<typeof Token>;

export const CreatedToken = Token.extend({
  /** Shown this once; the server keeps only its hash. */
  token: z.string(),
}).meta({ id: 'CreatedToken' });
export type CreatedToken = z.infer<typeof CreatedToken>;

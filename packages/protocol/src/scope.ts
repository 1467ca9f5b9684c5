import { z } from 'zod';

/**
 * What a token may be used for; a token without scopes may do all that its user may. `admin` also needs a
 * user who is one.
 */
export const Scope = z.enum(['read', 'write', 'admin', 'metrics']);
export type Scope = z.infer<typeof Scope>;

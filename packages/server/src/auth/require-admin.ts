import { RequestRefused } from '../http/refusal.ts';
import { type Caller, hasScope, isAdmin } from './caller.ts';

/** Within a call that everybody may make: a part of it that reaches beyond what is the caller's own. */
export function requireAdmin(caller: Caller, field: string): void {
  if (!isAdmin(caller)) {
    throw new RequestRefused('admin_required', `${field}: only an admin may use this`);
  }
  if (!hasScope(caller, 'admin')) {
    throw new RequestRefused('insufficient_scope', `${field}: needs a token with the scope admin`);
  }
}

import type { ProblemCode } from '@chatd/protocol';
import { type FieldError, RequestRefused } from './refusal.ts';

/** Fields that are wrong for a reason that no schema knows; the first one gives the code, unless one is given. */
export function fieldRefusal(errors: readonly FieldError[], code?: ProblemCode): RequestRefused {
  const [first] = errors;
  const { path = '', message = 'is not valid' } = first ?? {};
  const field = path.split('.')[0] ?? '';
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
  return new RequestRefused(code ?? `invalid_${field}`, `${path}: ${message}${others}`, { errors });
}

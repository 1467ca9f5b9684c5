import type { ProblemCode } from '@chatd/protocol';
import { type FieldError, RequestRefused } from './refusal.ts';

/** Refuses fields of a body for reasons that its schema cannot express. */
export function fieldRefusal(
  errors: readonly FieldError[],
  code: ProblemCode = 'invalid_body',
): RequestRefused {
  const [first] = errors;
  const { path = '', message = 'is not valid' } = first ?? {};
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
  return new RequestRefused(code, `${path}: ${message}${others}`, { errors });
}

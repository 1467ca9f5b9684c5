import type { WireRequest } from '../dialect.ts';
import type { Refusal } from '../refusal.ts';
import { badRequest } from '../refusal.ts';

export function authorize({ headers }: WireRequest, key: string | undefined): Refusal | undefined {
  const bearer = headers['authorization']?.replace(/^Bearer /, '');
  const given = headers['x-api-key'] ?? bearer;
  if (!given) return { status: 401, message: 'x-api-key header is required' };
  if (key !== undefined && given !== key) return { status: 401, message: 'invalid x-api-key' };
  if (!headers['anthropic-version']) return badRequest('anthropic-version: header is required');
  return undefined;
}

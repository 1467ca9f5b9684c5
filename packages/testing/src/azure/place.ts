import type { WireRequest } from '../dialect.ts';
import type { Refusal } from '../refusal.ts';
import { badRequest } from '../refusal.ts';

const VERSIONED = /^\/openai\/v1(\/.+)$/;
const DEPLOYED = /^\/openai\/deployments\/([^/]+)(\/.+)$/;
const DATED = /^\d{4}-\d{2}-\d{2}(?:-preview)?$/;

/** The path behind Azure's own, in either of the two forms. */
export function pathOf({ path }: WireRequest): string | undefined {
  return VERSIONED.exec(path)?.[1] ?? DEPLOYED.exec(path)?.[2];
}

/** Behind `/openai/v1` the version may be named; behind a deployment it must be, by its date. */
export function versionFault({ path, query }: WireRequest): Refusal | undefined {
  const version = new URLSearchParams(query).get('api-version');
  if (DEPLOYED.test(path)) {
    return version !== null && DATED.test(version)
      ? undefined
      : { status: 404, message: 'Resource not found', code: '404' };
  }
  return version === null || version === 'v1' || version === 'preview'
    ? undefined
    : badRequest('API version not supported', { code: 'BadRequest' });
}

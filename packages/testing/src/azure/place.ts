import type { WireRequest } from '../dialect.ts';
import type { Refusal } from '../refusal.ts';
import { badRequest } from '../refusal.ts';

const VERSIONED = /^\/openai\/v1(\/.+)$/;
const DEPLOYED = /^\/openai\/deployments\/([^/]+)(\/.+)$/;
const DATED = /^\d{4}-\d{2}-\d{2}(?:-preview)?$/;

/** The path after Azure's prefix, in either form. */
export function pathOf({ path }: WireRequest): string | undefined {
  return VERSIONED.exec(path)?.[1] ?? DEPLOYED.exec(path)?.[2];
}

/** With `/openai/v1` the API version is optional; with a deployment it is required, as a date. */
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

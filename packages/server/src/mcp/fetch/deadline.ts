import type { Fetch } from './mcp-fetch.ts';

/** Timeout for short requests. */
export const withDeadline =
  (fetch: Fetch, ms: number): Fetch =>
  (input, init = {}) => {
    const late = AbortSignal.timeout(ms);
    const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
    return fetch(input, { ...init, signal });
  };

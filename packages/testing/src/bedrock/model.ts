import type { WireRequest } from '../dialect.ts';

const PATH = /^\/model\/([^/]+)\/(converse|converse-stream)$/;

/** The model is part of the path, with its colon escaped. */
export function modelOf({ path }: WireRequest): string {
  return decodeURIComponent(PATH.exec(path)?.[1] ?? '');
}

export function methodOf({ path }: WireRequest): string | undefined {
  return PATH.exec(path)?.[2];
}

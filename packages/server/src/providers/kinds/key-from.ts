import type { JsonObject } from '@chatd/protocol';
import type { Environment, FromEnvironment } from './kind.ts';

/** The key from the first of these variables that is set. */
export function keyFrom(
  env: Environment,
  names: readonly string[],
  about: {
    readonly base_url?: string | undefined;
    readonly options?: JsonObject;
  } = {},
): FromEnvironment | undefined {
  const api_key = names.map((name) => env[name]?.trim()).find((value) => value);
  if (api_key === undefined || api_key === '') return undefined;
  const { base_url, ...rest } = about;
  return { secrets: { api_key }, ...rest, ...(base_url && { base_url }) };
}

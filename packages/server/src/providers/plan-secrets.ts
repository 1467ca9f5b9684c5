import type { AwsCredentials } from '@chatd/protocol';
import type { z } from 'zod';

/** Null removes, undefined keeps. */
export interface SecretsChange {
  readonly api_key?: string | null | undefined;
  readonly aws_credentials?: z.output<typeof AwsCredentials> | null | undefined;
}

export function planSecrets(
  before: Readonly<Record<string, string>>,
  { api_key, aws_credentials }: SecretsChange,
): Record<string, string> {
  const { api_key: keptKey, ...keptCredentials } = before;
  const key = api_key === undefined ? keptKey : api_key;
  const credentials = aws_credentials === undefined ? keptCredentials : (aws_credentials ?? {});
  return {
    ...(key !== undefined && key !== null && { api_key: key }),
    ...Object.fromEntries(
      Object.entries(credentials).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    ),
  };
}

import type { BodyOf } from '@chatd/client';
import type { Provider, ProviderTest } from '@chatd/protocol';
import { client } from '../../api/client.ts';

export type NewProvider = BodyOf<'createProvider'>;

/** Creates a provider if it passes the connection test. Otherwise none remains. */
export async function connectProvider(body: NewProvider): Promise<Provider | ProviderTest> {
  const provider = await client.call('createProvider', { body });
  const params = { provider_id: provider.id };
  let test: ProviderTest | undefined;
  try {
    test = await client.call('testProvider', { params });
    if (test.ok) return provider;
  } finally {
    if (test?.ok !== true) await client.call('deleteProvider', { params });
  }
  return test;
}

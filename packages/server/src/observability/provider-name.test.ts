import { ProviderType } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { buildModel } from '../providers/build-model.ts';
import { providerName } from './provider-name.ts';

test.each(ProviderType.options)('models of type %s are labeled with their type', async (type) => {
  const access = {
    type,
    base_url: 'https://example.com/v1',
    api_key: 'sk-0123456789abcdef',
    ...(type === 'bedrock' && { options: { region: 'us-east-1' } }),
  };
  const { provider } = await buildModel(access, 'm', fetch);
  expect(providerName(provider).label, provider).toBe(type);
});

test('unknown provider names are labeled as other', () => {
  expect(providerName('my-secret-provider.chat')).toEqual({ label: 'other', convention: 'other' });
  expect(providerName('constructor').label).toBe('other');
});

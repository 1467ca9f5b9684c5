import { expect, test } from 'vitest';
import { dump } from '@chatd/test-server/database';
import { startServerOn, startTestServer } from '@chatd/test-server';

const KEYS = {
  ANTHROPIC_API_KEY: 'sk-ant-environment-0001',
  OPENAI_API_KEY: 'sk-oai-environment-0002',
  GEMINI_API_KEY: 'goo-environment-0003',
  OPENROUTER_API_KEY: 'sk-or-environment-0004',
  AI_GATEWAY_API_KEY: 'vck-environment-0005',
  AZURE_API_KEY: 'azure-environment-0006',
  AZURE_RESOURCE_NAME: 'mine',
  AWS_ACCESS_KEY_ID: 'AKIAENVIRONMENT0007',
  AWS_SECRET_ACCESS_KEY: 'aws-environment-secret-0008',
  AWS_REGION: 'eu-west-1',
};

test('each key in the environment creates a provider and a model, and is not stored', async () => {
  // Nothing is stored, so no CHATD_SECRET_KEY is needed.
  const { admin, owner, databaseUrl } = await startTestServer({}, { env: KEYS });
  const { providers } = await admin.ok('listProviders');
  expect(providers.map(({ type }) => type)).toEqual([
    'demo',
    'anthropic',
    'openai',
    'google',
    'openrouter',
    'vercel',
    'azure',
    'bedrock',
  ]);
  for (const provider of providers.slice(1)) {
    expect(provider).toMatchObject({ has_api_key: true, key_source: 'environment' });
  }
  const { model_configs } = await admin.ok('listModelConfigs');
  const first = model_configs.find(({ is_default }) => is_default);
  expect(first).toMatchObject({
    model: 'claude-sonnet-5-5',
    context_limit: 1_000_000,
    reasoning_effort: { default: 'medium', max: 'high' },
  });
  expect(first?.price).toBeDefined();
  // Azure models are deployments with custom names, so none is created.
  expect(model_configs).toHaveLength(7);
  const chat = await owner.ok('createChat', { body: { content: 'x' } });
  expect(chat.model_config_id).toBe(first?.id);
  const stored = await dump(databaseUrl);
  for (const key of Object.values(KEYS).filter((value) => value.includes('environment'))) {
    expect(stored).not.toContain(key);
  }
});

test('a restart does not recreate a deleted provider or replace the default model', async () => {
  const env = { ANTHROPIC_API_KEY: KEYS.ANTHROPIC_API_KEY };
  const first = await startTestServer({}, { env });
  const made = (await first.admin.ok('listProviders')).providers[1];
  await first.admin.ok('deleteProvider', { params: { provider_id: made?.id ?? '' } });
  const { id } = await first.admin.ok('createProvider', {
    body: { type: 'openai-compatible', name: 'own', base_url: 'http://127.0.0.1:1/v1' },
  });
  const own = await first.admin.ok('createModelConfig', {
    body: { provider_id: id, model: 'llama3', context_limit: 8192, is_default: true },
  });

  const second = await startServerOn(
    first.databaseUrl,
    {},
    {
      env: { ...env, OPENAI_API_KEY: KEYS.OPENAI_API_KEY },
    },
  );
  const { providers } = await second.admin.ok('listProviders');
  // Only the new key creates a provider.
  expect(providers.map(({ type }) => type)).toEqual(['demo', 'openai-compatible', 'openai']);
  const { model_configs } = await second.admin.ok('listModelConfigs');
  expect(model_configs.find(({ is_default }) => is_default)?.id).toBe(own.id);
});

test('a key that was removed from the environment is reported as missing', async () => {
  const env = { OPENAI_API_KEY: KEYS.OPENAI_API_KEY };
  const { databaseUrl } = await startTestServer({}, { env });
  const { admin } = await startServerOn(databaseUrl);
  const { providers } = await admin.ok('listProviders');
  const provider = providers.find(({ type }) => type === 'openai');
  expect(provider).toMatchObject({ has_api_key: false, key_source: 'environment' });
  const { model_configs } = await admin.ok('listModelConfigs');
  const config = model_configs.find(({ provider_id }) => provider_id === provider?.id);
  const result = await admin.ok('testModelConfig', {
    params: { model_config_id: config?.id ?? '' },
  });
  expect(result).toMatchObject({ ok: false, error: { kind: 'missing_key' } });
  expect(result.message).toContain('no longer contains a key');
});

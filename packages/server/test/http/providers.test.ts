import { answer, startFakeProvider, text } from '@chatd/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { DEMO_PROVIDER } from '../../src/store/providers.ts';
import { dump } from '@chatd/test-server/database';
import { startModelServer } from './model-server.ts';
import { startTestServer } from '@chatd/test-server';

const server = await startTestServer({ secretKey: 'a-secret-key-for-tests' });
const { admin, owner, stranger, databaseUrl } = server;

const KEY = 'sk-test-0123456789-abcdefgh';
const service = await startModelServer();

const anthropic = (over: object = {}) =>
  admin.ok('createProvider', { body: { type: 'anthropic', name: 'Anthropic', ...over } });

const refusal = async (body: object) => {
  const { code, detail } = await admin.refused('createProvider', { body });
  return `${code}: ${detail}`;
};

const tested = async (body: object) => {
  const { id } = await admin.ok('createProvider', { body: { name: 'Tested', ...body } });
  return await admin.ok('testProvider', { params: { provider_id: id } });
};

test('a provider is created, shown without its key, changed, and deleted', async () => {
  const made = await anthropic({ api_key: KEY, base_url: service.url });
  expect(made).toMatchObject({
    type: 'anthropic',
    name: 'Anthropic',
    enabled: true,
    base_url: service.url,
    has_api_key: true,
    key_source: 'stored',
    allow_user_keys: false,
    built_in: false,
  });
  expect(JSON.stringify(made)).not.toContain(KEY);
  const params = { provider_id: made.id };
  expect(await admin.ok('getProvider', { params })).toEqual(made);
  const { providers } = await admin.ok('listProviders');
  expect(providers).toContainEqual(made);

  const renamed = await admin.ok('updateProvider', { params, body: { name: 'Claude' } });
  expect(renamed).toEqual({ ...made, name: 'Claude' });
  const bare = await admin.ok('updateProvider', {
    params,
    body: { api_key: null, base_url: null, enabled: false },
  });
  expect(bare).toMatchObject({ has_api_key: false, key_source: null, enabled: false });
  expect(bare).not.toHaveProperty('base_url');

  await admin.ok('deleteProvider', { params });
  expect(await admin.refusal('getProvider', { params })).toBe('404 not_found');
  expect(await admin.refusal('deleteProvider', { params })).toBe('404 not_found');
});

test('an invalid provider is refused and changes nothing', async () => {
  const before = await dump(databaseUrl);
  const base = { name: 'x' };
  expect(await refusal({ ...base, type: 'demo' })).toContain('invalid_body');
  expect(await refusal({ ...base, type: 'openai-compatible' })).toBe(
    'invalid_body: base_url: is required for this type',
  );
  expect(await refusal({ ...base, type: 'azure' })).toContain('options.resource_name');
  expect(await refusal({ ...base, type: 'openai', api_key: 'short' })).toContain('invalid_body');
  expect(await refusal({ ...base, type: 'openai', options: { apis: 'chat' } })).toBe(
    'invalid_body: options.apis: is not a valid option; known: api, organization, project',
  );
  expect(await refusal({ ...base, type: 'openai', options: { api: 'gopher' } })).toContain(
    'invalid_body',
  );
  expect(await refusal({ ...base, type: 'azure', options: { resource_name: 'a/b#' } })).toContain(
    'invalid_body',
  );
  expect(
    await refusal({
      ...base,
      type: 'openai',
      aws_credentials: { access_key_id: KEY, secret_access_key: KEY },
    }),
  ).toContain('invalid_body');
  expect(await refusal({ ...base, type: 'openai', base_url: 'ftp://x.example' })).toContain(
    'url_not_allowed',
  );
  expect(await dump(databaseUrl)).toBe(before);
});

test('the demo provider can be disabled, but not deleted or given a key', async () => {
  const params = { provider_id: DEMO_PROVIDER };
  expect(await admin.refusal('deleteProvider', { params })).toBe('409 built_in');
  expect(await admin.refusal('updateProvider', { params, body: { api_key: KEY } })).toBe(
    '400 invalid_body',
  );
  const off = await admin.ok('updateProvider', { params, body: { enabled: false } });
  expect(off).toMatchObject({ enabled: false, built_in: true, type: 'demo' });
  expect(await owner.refusal('createChat', { body: { content: 'x' } })).toBe(
    '409 no_model_configured',
  );
  await admin.ok('updateProvider', { params, body: { enabled: true } });
  await owner.ok('createChat', { body: { content: 'x' } });
});

describe('deleting a provider', () => {
  test('deletes its models if no chat uses them', async () => {
    const provider = await anthropic();
    const config = await admin.ok('createModelConfig', {
      body: { provider_id: provider.id, model: 'claude-sonnet-4-5', is_default: true },
    });
    await admin.ok('deleteProvider', { params: { provider_id: provider.id } });
    const { model_configs } = await admin.ok('listModelConfigs');
    expect(model_configs.map(({ id }) => id)).not.toContain(config.id);
    // Another model becomes the default.
    expect(model_configs.filter(({ is_default }) => is_default)).toHaveLength(1);
  });

  test('is refused while a chat uses one of its models', async () => {
    const provider = await anthropic();
    const config = await admin.ok('createModelConfig', {
      body: { provider_id: provider.id, model: 'claude-sonnet-4-5', display_name: 'My Claude' },
    });
    await owner.ok('createChat', { body: { content: 'x', model_config_id: config.id } });
    const before = await dump(databaseUrl);
    const refused = await admin.refused('deleteProvider', { params: { provider_id: provider.id } });
    expect(refused).toMatchObject({ status: 409, code: 'provider_in_use' });
    expect(refused.detail).toContain('My Claude');
    expect(
      await admin.refusal('deleteModelConfig', { params: { model_config_id: config.id } }),
    ).toBe('409 model_config_in_use');
    expect(await dump(databaseUrl)).toBe(before);
  });
});

describe('testing a provider', () => {
  test('calls the provider with its key', async () => {
    service.answer = (request) =>
      request.headers['x-api-key'] === KEY
        ? { body: { data: [{ id: 'claude-a' }, { id: 'claude-b' }] } }
        : { status: 401, body: { error: { message: 'invalid x-api-key' } } };
    const at = { type: 'anthropic', base_url: service.url };
    const good = await tested({ ...at, api_key: KEY });
    expect(good).toMatchObject({ ok: true, models_found: 2 });
    expect(good.message).toContain('offers 2 models');
    const bad = await tested({ ...at, api_key: 'sk-another-key' });
    expect(bad).toMatchObject({ ok: false, error: { kind: 'auth', status_code: 401 } });
    expect(bad.message).toContain('Check the API key');
  });

  test.each([
    ['no key', {}, 'missing_key'],
    ['connection refused', { api_key: KEY, base_url: 'http://127.0.0.1:1/v1' }, 'timeout'],
  ])('reports the reason: %s', async (_, over, kind) => {
    const result = await tested({ type: 'anthropic', ...over });
    expect(result).toMatchObject({ ok: false, error: { kind } });
    expect(result.message).not.toBe('');
  });

  test('does not follow a redirect', async () => {
    const target = await startModelServer();
    service.answer = () => ({ status: 302, headers: { location: target.url }, body: '' });
    const result = await tested({ type: 'openai', api_key: KEY, base_url: service.url });
    expect(result).toMatchObject({ ok: false, error: { kind: 'config' } });
    expect(result.message).toContain('redirect');
    expect(target.requests).toEqual([]);
  });
});

describe("users' own keys", () => {
  test("are accepted where an admin allows them, and take precedence over the provider's key", async () => {
    const fake = await startFakeProvider({ api: 'anthropic' });
    afterAll(() => fake.close());
    const provider = await anthropic({ api_key: KEY, base_url: fake.url, allow_user_keys: true });
    const params = { provider_id: provider.id };
    const { providers: shown } = await stranger.ok('listProviders');
    expect(shown).toEqual([
      {
        id: provider.id,
        type: 'anthropic',
        name: 'Anthropic',
        enabled: true,
        allow_user_keys: true,
        has_own_key: false,
      },
    ]);
    await admin.ok('setOwnKey', { params, body: { api_key: 'sk-key-of-the-admin' } });
    expect(await admin.ok('getProvider', { params })).toMatchObject({ has_own_key: true });
    expect((await stranger.ok('listProviders')).providers[0]?.has_own_key).toBe(false);

    const config = await admin.ok('createModelConfig', {
      body: { provider_id: provider.id, model: 'claude-sonnet-4-5' },
    });
    fake.answer(answer([text('ready')]), answer([text('ready')]), answer([text('ready')]));
    const tested = { params: { model_config_id: config.id } };
    expect(await admin.ok('testModelConfig', tested)).toMatchObject({ ok: true, text: 'ready' });
    expect((await fake.request(0)).headers['x-api-key']).toBe('sk-key-of-the-admin');
    // Deleting the key takes effect immediately.
    await admin.ok('deleteOwnKey', { params });
    await admin.ok('testModelConfig', tested);
    expect((await fake.request(1)).headers['x-api-key']).toBe(KEY);
    expect(await admin.refusal('deleteOwnKey', { params })).toBe('404 not_found');

    // A stored key is not used when it is no longer allowed.
    await admin.ok('setOwnKey', { params, body: { api_key: 'sk-key-of-the-admin' } });
    await admin.ok('updateProvider', { params, body: { allow_user_keys: false } });
    await admin.ok('testModelConfig', tested);
    expect((await fake.request(2)).headers['x-api-key']).toBe(KEY);
    expect(fake.rejected).toEqual([]);
  });

  test('are refused elsewhere', async () => {
    const provider = await anthropic();
    const input = { params: { provider_id: provider.id }, body: { api_key: KEY } };
    expect(await owner.refusal('setOwnKey', input)).toBe('404 not_found');
    expect((await owner.ok('listProviders')).providers.map(({ id }) => id)).not.toContain(
      provider.id,
    );
  });
});

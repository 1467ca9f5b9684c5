import { answer, fault, startFakeProvider, text } from '@chatd/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { dump } from '@chatd/test-server/database';
import { startModelServer } from './model-server.ts';
import { startTestServer } from '@chatd/test-server';

const server = await startTestServer({ secretKey: 'a-secret-key-for-tests' });
const { admin, owner, databaseUrl } = server;
const KEY = 'sk-test-0123456789';

const provider = async (type: string, over: object = {}) =>
  (await admin.ok('createProvider', { body: { type, name: type, api_key: KEY, ...over } })).id;
const anthropic = await provider('anthropic');
const openai = await provider('openai');
const chat = await provider('openai', { options: { api: 'chat' } });
const google = await provider('google');
const compatible = await provider('openai-compatible', { base_url: 'http://127.0.0.1:1/v1' });

const create = (body: object) => admin.ok('createModelConfig', { body });
const refused = async (body: object) => {
  const { code, errors = [] } = await admin.refused('createModelConfig', { body });
  return [code, ...errors.map(({ path, message }) => `${path}: ${message}`)];
};

test('fields default to the model catalog and can be overridden', async () => {
  const known = await create({ provider_id: anthropic, model: 'claude-sonnet-4-5' });
  expect(known).toMatchObject({
    display_name: 'Claude Sonnet 4.5',
    context_limit: 200_000,
    compaction_threshold: 70,
    max_output_tokens: 64_000,
    price: { input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 },
    enabled: true,
    is_default: false,
  });
  const told = await create({
    provider_id: anthropic,
    model: 'claude-sonnet-4-5',
    display_name: 'Cheap',
    context_limit: 1000,
    max_output_tokens: null,
    price: { input: 1, output: 2 },
  });
  expect(told).toMatchObject({
    display_name: 'Cheap',
    context_limit: 1000,
    price: { input: 1, output: 2 },
  });
  expect(told).not.toHaveProperty('max_output_tokens');
  const unpriced = await create({
    provider_id: anthropic,
    model: 'claude-sonnet-4-5',
    price: null,
  });
  expect(unpriced).not.toHaveProperty('price');
});

test('the context limit is required for a model that is not in the catalog', async () => {
  expect(await refused({ provider_id: compatible, model: 'llama3' })).toEqual([
    'invalid_body',
    'context_limit: is required, because the model catalog does not list this model',
  ]);
  const made = await create({ provider_id: compatible, model: 'llama3', context_limit: 8192 });
  expect(made).toMatchObject({ display_name: 'llama3', context_limit: 8192 });
  expect(made).not.toHaveProperty('price');
});

test('a model is changed field by field, and null removes a setting', async () => {
  const made = await create({
    provider_id: openai,
    model: 'gpt-5',
    temperature: 0.5,
    reasoning_effort: { default: 'low', max: 'high' },
    provider_options: { openai: { store: true } },
  });
  const params = { model_config_id: made.id };
  const changed = await admin.ok('updateModelConfig', {
    params,
    body: { temperature: null, top_p: 0.9, enabled: false },
  });
  const { temperature: _, ...rest } = made;
  expect(changed).toEqual({ ...rest, top_p: 0.9, enabled: false });
  expect(await admin.ok('getModelConfig', { params })).toEqual(changed);
  // Members see only models that they can use, without admin fields.
  const { model_configs } = await owner.ok('listModelConfigs');
  expect(model_configs.map(({ id }) => id)).not.toContain(made.id);
  await admin.ok('updateModelConfig', { params, body: { enabled: true } });
  const shown = (await owner.ok('listModelConfigs')).model_configs;
  expect(shown.find(({ id }) => id === made.id)).not.toHaveProperty('provider_options');
  await admin.ok('deleteModelConfig', { params });
  expect(await admin.refusal('getModelConfig', { params })).toBe('404 not_found');
});

test('penalties are stored, bounded, sent with every call, and removed by null', async () => {
  const fake = await startFakeProvider({ api: 'openai-chat' });
  afterAll(() => fake.close());
  const provider_id = await provider('openai-compatible', { base_url: fake.url });
  const penalties = { presence_penalty: -0.5, frequency_penalty: 1.25 };
  const made = await create({ provider_id, model: 'llama3', context_limit: 8192, ...penalties });
  expect(made).toMatchObject(penalties);
  const params = { model_config_id: made.id };
  fake.answer(answer([text('ready')]));
  expect(await admin.ok('testModelConfig', { params })).toMatchObject({ ok: true });
  expect((await fake.request(0)).body).toMatchObject(penalties);
  for (const name of ['presence_penalty', 'frequency_penalty']) {
    const tooHigh = { params, body: { [name]: 2.1 } };
    expect(await admin.refusal('updateModelConfig', tooHigh)).toBe('400 invalid_body');
  }
  const removed = await admin.ok('updateModelConfig', {
    params,
    body: { presence_penalty: null, frequency_penalty: null },
  });
  expect(removed).not.toHaveProperty('presence_penalty');
  expect(removed).not.toHaveProperty('frequency_penalty');
});

describe('a setting that the provider does not support is refused', () => {
  const cases: [string, object, string[]][] = [
    [
      'an option that does not exist',
      {
        provider_id: anthropic,
        provider_options: { anthropic: { thinkin: { type: 'disabled' } } },
      },
      [
        'invalid_body',
        expect.stringMatching(
          /^provider_options\.anthropic\.thinkin: is not a valid option; known: .*thinking/,
        ),
      ],
    ],
    [
      'an option of the other API',
      { provider_id: chat, provider_options: { openai: { includeWebSearchSources: true } } },
      ['invalid_body', expect.stringContaining('includeWebSearchSources')],
    ],
    [
      'options of another provider',
      { provider_id: anthropic, provider_options: { openai: { store: true } } },
      [
        'invalid_body',
        'provider_options.openai: is not the name of the Anthropic options; known: anthropic',
      ],
    ],
    [
      'a value that is not allowed',
      { provider_id: openai, provider_options: { openai: { serviceTier: 'turbo' } } },
      ['invalid_body', expect.stringContaining('provider_options.openai.serviceTier')],
    ],
    [
      'an option that the loop controls',
      { provider_id: openai, provider_options: { openai: { previousResponseId: 'r' } } },
      ['invalid_body', expect.stringContaining('previousResponseId')],
    ],
    [
      'an option that would contain a secret',
      {
        provider_id: anthropic,
        provider_options: {
          anthropic: {
            mcpServers: [{ type: 'url', name: 'x', url: 'https://x', authorizationToken: 't' }],
          },
        },
      },
      ['invalid_body', expect.stringContaining('mcpServers')],
    ],
    [
      'a body that overrides a reserved field',
      {
        provider_id: compatible,
        provider_options: { openaiCompatible: { extra_body: { messages: [] } } },
      },
      ['invalid_body', expect.stringContaining('must not contain')],
    ],
    [
      'web search without support',
      { provider_id: chat, web_search: {} },
      ['invalid_body', 'web_search: OpenAI has no supported web search'],
    ],
    [
      'domains that the web search does not support',
      { provider_id: google, web_search: { allowed_domains: ['example.org'] } },
      ['invalid_body', expect.stringContaining('web_search.allowed_domains')],
    ],
    [
      'both allowed and blocked domains',
      {
        provider_id: openai,
        web_search: { allowed_domains: ['a.org'], blocked_domains: ['b.org'] },
      },
      ['invalid_body', expect.stringContaining('cannot be combined with')],
    ],
    [
      'a default effort above the maximum',
      { provider_id: openai, reasoning_effort: { default: 'high', max: 'low' } },
      ['invalid_body', 'reasoning_effort: default must not be higher than max'],
    ],
    [
      'an unknown provider',
      { provider_id: '00000000-0000-7000-8000-00000000dead' },
      ['unknown_provider'],
    ],
    [
      'an unknown title model',
      { provider_id: openai, title_model_config_id: '00000000-0000-7000-8000-00000000dead' },
      ['unknown_model_config', 'title_model_config_id: does not name an existing model config'],
    ],
  ];

  test.each(cases)('%s', async (_, body, expected) => {
    const before = await dump(databaseUrl);
    expect(await refused({ model: 'm', context_limit: 1000, ...body })).toEqual(expected);
    expect(await dump(databaseUrl)).toBe(before);
  });

  test('when a model moves to another provider', async () => {
    const { id } = await create({
      provider_id: openai,
      model: 'gpt-5',
      provider_options: { openai: { store: true } },
    });
    const params = { model_config_id: id };
    const moved = { params, body: { provider_id: anthropic } };
    expect(await admin.refusal('updateModelConfig', moved)).toBe('400 invalid_body');
    await admin.ok('updateModelConfig', {
      params,
      body: { provider_id: anthropic, provider_options: null },
    });
  });

  test('when a change of the provider removes the support', async () => {
    const provider_id = await provider('openai');
    const { id } = await create({ provider_id, model: 'gpt-5', web_search: {} });
    const changed = { params: { provider_id }, body: { options: { api: 'chat' } } };
    const { code, detail } = await admin.refused('updateProvider', changed);
    expect(code).toBe('invalid_body');
    expect(detail).toContain('conflicts with web_search of GPT-5');
    const params = { model_config_id: id };
    await admin.ok('updateModelConfig', { params, body: { web_search: null } });
    await admin.ok('updateProvider', changed);
  });
});

const defaults = async () =>
  (await admin.ok('listModelConfigs')).model_configs
    .filter(({ is_default }) => is_default)
    .map(({ id }) => id);

test('exactly one model is the default despite concurrent changes', async () => {
  const one = await create({ provider_id: openai, model: 'gpt-5', is_default: true });
  expect(await defaults()).toEqual([one.id]);
  const many = await Promise.all(
    ['a', 'b', 'c'].map((model) =>
      create({ provider_id: openai, model, context_limit: 1000, is_default: true }),
    ),
  );
  const [current] = await defaults();
  expect(many.map(({ id }) => id)).toContain(current);
  expect(await defaults()).toHaveLength(1);
  const params = { model_config_id: current ?? '' };
  expect(await admin.refusal('updateModelConfig', { params, body: { is_default: false } })).toBe(
    '400 invalid_body',
  );
  await admin.ok('updateModelConfig', {
    params: { model_config_id: one.id },
    body: { is_default: true },
  });
  expect(await defaults()).toEqual([one.id]);
  await admin.ok('deleteModelConfig', { params: { model_config_id: one.id } });
  expect(await defaults()).toHaveLength(1);
});

describe('testing a model', () => {
  test('calls the model and reports its response and cost', async () => {
    const fake = await startFakeProvider({ api: 'anthropic', key: KEY });
    afterAll(() => fake.close());
    const provider_id = await provider('anthropic', { base_url: fake.url, name: 'Team gateway' });
    const { id } = await create({
      provider_id,
      model: 'claude-sonnet-4-5',
      provider_options: { anthropic: { metadata: { userId: 'u-1' } } },
    });
    const asked = () => admin.ok('testModelConfig', { params: { model_config_id: id } });
    fake.answer(answer([text('ready')]));
    const good = await asked();
    expect(good).toMatchObject({ ok: true, text: 'ready' });
    expect(good.usage?.output_tokens).toBeGreaterThan(0);
    expect(good.cost_micros).toBeGreaterThan(0);
    expect(fake.requests[0]?.body).toMatchObject({
      model: 'claude-sonnet-4-5',
      metadata: { user_id: 'u-1' },
    });

    fake.answer(fault.overloaded());
    expect(await asked()).toMatchObject({
      ok: false,
      message: expect.stringContaining('Team gateway is overloaded.'),
      error: { kind: 'overloaded', provider: 'Team gateway' },
    });
    fake.answer(fault.status(404, { body: { error: { message: 'model: claude-x not found' } } }));
    const missing = await asked();
    expect(missing).toMatchObject({ ok: false, error: { kind: 'config', status_code: 404 } });
    expect(missing.message).toContain('Check the model');

    await admin.ok('updateProvider', { params: { provider_id }, body: { enabled: false } });
    expect(await asked()).toMatchObject({ ok: false, error: { kind: 'provider_disabled' } });
    await admin.ok('updateProvider', {
      params: { provider_id },
      body: { enabled: true, api_key: null },
    });
    expect(await asked()).toMatchObject({ ok: false, error: { kind: 'missing_key' } });
    expect(fake.requests).toHaveLength(3);
  });

  test('sends the extra body fields of a compatible service', async () => {
    const fake = await startFakeProvider({ api: 'openai-chat', strict: false });
    afterAll(() => fake.close());
    const provider_id = await provider('openai-compatible', { base_url: fake.url });
    const { id } = await create({
      provider_id,
      model: 'llama3',
      context_limit: 8192,
      provider_options: { openaiCompatible: { user: 'u', extra_body: { num_ctx: 4096 } } },
    });
    fake.answer(answer([text('ready')]));
    const result = await admin.ok('testModelConfig', { params: { model_config_id: id } });
    expect(result).toMatchObject({ ok: true, cost_micros: null });
    const { body } = await fake.request(0);
    expect(body).toMatchObject({ user: 'u', num_ctx: 4096 });
    expect(body).not.toHaveProperty('extra_body');
  });
});

test('models are listed live and joined with the catalog, even if one provider fails', async () => {
  const service = await startModelServer(() => ({
    body: { data: [{ id: 'claude-sonnet-4-5-20250929' }, { id: 'claude-new' }] },
  }));
  const good = await provider('anthropic', { base_url: service.url, name: 'Good' });
  const bad = await provider('openai', { base_url: 'http://127.0.0.1:1/v1', name: 'Bad' });
  const off = await provider('google', { name: 'Off', enabled: false });
  await create({ provider_id: good, model: 'claude-new', context_limit: 1000 });
  // The providers of the other tests would call real services.
  for (const id of [anthropic, openai, chat, google]) {
    await admin.ok('updateProvider', { params: { provider_id: id }, body: { enabled: false } });
  }
  const { providers, catalogue_date } = await admin.ok('listModels');
  expect(catalogue_date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  const offered = (id: string) => providers.find(({ provider_id }) => provider_id === id);
  expect(offered(good)).toEqual({
    provider_id: good,
    type: 'anthropic',
    name: 'Good',
    models: [
      { id: 'claude-new', configured: true },
      expect.objectContaining({
        id: 'claude-sonnet-4-5-20250929',
        name: 'Claude Sonnet 4.5',
        context_limit: 200_000,
        reasoning: true,
        vision: true,
        configured: false,
      }),
    ],
  });
  expect(offered(bad)).toMatchObject({ error: { kind: 'timeout' } });
  expect(offered(bad)?.models.map(({ id }) => id)).toContain('gpt-5');
  expect(offered(off)).toBeUndefined();

  await admin.ok('listModels');
  expect(service.requests).toHaveLength(1);
  await admin.ok('listModels', { query: { refresh: true } });
  expect(service.requests).toHaveLength(2);
});

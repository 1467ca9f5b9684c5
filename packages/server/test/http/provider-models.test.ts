import { randomUUID } from 'node:crypto';
import { pushModel, systemClock } from '@chatd/loop';
import { answer, type FakeProvider, startFakeProvider, text } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { guardedAgent } from '../../src/providers/fetch/guarded-agent.ts';
import { providerFetch } from '../../src/providers/fetch/provider-fetch.ts';
import { providerTransport } from '../../src/providers/fetch/provider-transport.ts';
import { ProviderKeys } from '../../src/providers/provider-keys.ts';
import { ProviderModels } from '../../src/providers/provider-models.ts';
import { masterKeys } from '../../src/secrets/master-key.ts';
import { SecretValues } from '../../src/secrets/secret-values.ts';
import { Vault } from '../../src/secrets/vault.ts';
import { startTestServer } from '@chatd/test-server';

const SECRET_KEY = 'a-secret-key-for-tests';
const server = await startTestServer({ secretKey: SECRET_KEY });
const { admin, owner, store } = server;

/** Another replica, whose clock the test controls. */
let now = 0;
const secrets = new SecretValues();
const keys = new ProviderKeys(
  new Vault(await masterKeys({ given: SECRET_KEY, dataDir: undefined }), secrets),
  {},
  secrets,
);
const agent = guardedAgent(() => Promise.resolve(true));
afterAll(() => agent.destroy());
const models = new ProviderModels({
  db: store.database,
  keys,
  fetch: providerFetch(agent),
  transport: providerTransport(agent),
  secrets,
  clock: { ...systemClock, now: () => now },
});

const fake: FakeProvider = await startFakeProvider({ api: 'anthropic' });
afterAll(() => fake.close());
fake.answerWith(() => answer([text('ready')]));

const provider = await admin.ok('createProvider', {
  body: {
    type: 'anthropic',
    name: 'Claude at home',
    base_url: fake.url,
    api_key: 'sk-key-of-the-provider',
    allow_user_keys: true,
  },
});
const newConfig = async (over: object = {}) =>
  (
    await admin.ok('createModelConfig', {
      body: { provider_id: provider.id, model: 'claude-sonnet-4-5', ...over },
    })
  ).id;
const params = { provider_id: provider.id };
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }];

async function keyUsed(configId: string, userId: string): Promise<unknown> {
  const { model } = await models.forChat(configId, userId);
  await pushModel(model).push({ prompt }, () => undefined);
  return fake.requests.at(-1)?.headers['x-api-key'];
}

test('a model has the settings of its config', async () => {
  const title = await newConfig({ model: 'claude-haiku-4-5' });
  const summary = await newConfig({ model: 'claude-opus-4-5' });
  const id = await newConfig({
    temperature: 0.5,
    title_model_config_id: title,
    summary_model_config_id: summary,
  });
  const found = await models.forChat(id, store.owner);
  expect(found).toMatchObject({
    configId: id,
    settings: { context_limit: 200_000, compaction_threshold: 70, temperature: 0.5 },
    summary: { configId: summary },
  });
  expect(found.model).toMatchObject({
    provider: 'anthropic.messages',
    modelId: 'claude-sonnet-4-5',
  });
  expect(await models.forTitle(id, store.owner)).toMatchObject({ configId: title });
  expect(await models.forTitle(summary, store.owner)).toMatchObject({ configId: summary });

  // A disabled title or summary model does not fail the chat.
  for (const other of [title, summary]) {
    await admin.ok('updateModelConfig', {
      params: { model_config_id: other },
      body: { enabled: false },
    });
  }
  models.forget();
  expect(await models.forChat(id, store.owner)).not.toHaveProperty('summary');
  expect(await models.forTitle(id, store.owner)).toMatchObject({ configId: id });
});

test('a change on another replica takes effect within five seconds', async () => {
  const id = await newConfig();
  expect(await keyUsed(id, store.owner)).toBe('sk-key-of-the-provider');
  await admin.ok('updateProvider', { params, body: { api_key: 'sk-another-key' } });
  expect(await keyUsed(id, store.owner)).toBe('sk-key-of-the-provider');
  now += 5000;
  expect(await keyUsed(id, store.owner)).toBe('sk-another-key');
});

test("a user's own key is used only for that user", async () => {
  const id = await newConfig();
  await owner.ok('setOwnKey', { params, body: { api_key: 'sk-key-of-the-owner' } });
  expect(await keyUsed(id, store.owner)).toBe('sk-key-of-the-owner');
  expect(await keyUsed(id, randomUUID())).toBe('sk-another-key');
});

test('an unavailable model fails with the reason, which is not cached', async () => {
  const id = await newConfig();
  const failure = () => models.forChat(id, randomUUID());
  await expect(models.forChat(randomUUID(), store.owner)).rejects.toMatchObject({
    kind: 'config',
    message: 'The model was deleted. Choose another one.',
  });
  await admin.ok('updateProvider', { params, body: { api_key: null } });
  await expect(failure()).rejects.toMatchObject({
    kind: 'missing_key',
    message: 'No API key is configured for Claude at home. Add your own key, or ask an admin.',
  });
  await admin.ok('updateProvider', { params, body: { allow_user_keys: false } });
  await expect(failure()).rejects.toMatchObject({
    message: 'No API key is configured for Claude at home. An admin must add one.',
  });
  await admin.ok('updateModelConfig', {
    params: { model_config_id: id },
    body: { enabled: false, display_name: 'Mine' },
  });
  await expect(failure()).rejects.toMatchObject({
    kind: 'provider_disabled',
    message: 'Mine is disabled. Choose another model.',
  });
  await admin.ok('updateProvider', { params, body: { enabled: false } });
  await expect(failure()).rejects.toMatchObject({
    kind: 'provider_disabled',
    message: 'Claude at home is disabled. Choose another model.',
  });
});

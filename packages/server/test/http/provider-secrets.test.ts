import { answer, startFakeProvider, text } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { dump } from '@chatd/test-server/database';
import { type ApiClient, startServerOn, startTestServer } from '@chatd/test-server';

const FIRST = 'the-first-secret-key';
const SECOND = 'the-second-secret-key';
const KEY = 'sk-test-0123456789-abcdefgh';
const OWN = 'sk-own-0123456789-stuvwxyz';

const fake = await startFakeProvider({ api: 'anthropic', key: KEY });
fake.answerWith(() => answer([text('ready')]));
afterAll(() => fake.close());

test('without a secret key, no API key is stored', async () => {
  const { admin, databaseUrl } = await startTestServer();
  const before = await dump(databaseUrl);
  const body = { type: 'anthropic', name: 'x' };
  const refused = await admin.refused('createProvider', { body: { ...body, api_key: KEY } });
  expect(refused).toMatchObject({ status: 409, code: 'secret_key_required' });
  expect(refused.detail).toContain('CHATD_SECRET_KEY');
  expect(await dump(databaseUrl)).toBe(before);
  const { id } = await admin.ok('createProvider', { body: { ...body, allow_user_keys: true } });
  const params = { provider_id: id };
  expect(await admin.refusal('updateProvider', { params, body: { api_key: KEY } })).toBe(
    '409 secret_key_required',
  );
  expect(await admin.refusal('setOwnKey', { params, body: { api_key: KEY } })).toBe(
    '409 secret_key_required',
  );
});

test('the secret key is rotated with two restarts, and no key is lost', async () => {
  const first = await startTestServer({ secretKey: FIRST });
  const { databaseUrl } = first;
  const provider = await first.admin.ok('createProvider', {
    body: {
      type: 'anthropic',
      name: 'Anthropic',
      base_url: fake.url,
      api_key: KEY,
      allow_user_keys: true,
    },
  });
  await first.stranger.ok('setOwnKey', {
    params: { provider_id: provider.id },
    body: { api_key: OWN },
  });
  const config = await first.admin.ok('createModelConfig', {
    body: { provider_id: provider.id, model: 'claude-sonnet-4-5' },
  });
  const works = async (server: { admin: ApiClient }) =>
    (await server.admin.ok('testModelConfig', { params: { model_config_id: config.id } })).ok;
  const sealed = async () =>
    (
      await first.store.database.query(
        statement<null, { secrets: string }>(
          'sealed',
          `SELECT secrets FROM providers WHERE secrets IS NOT NULL
               UNION ALL SELECT secrets FROM user_keys ORDER BY 1`,
        ),
      )
    ).map(({ secrets }) => secrets);
  expect(await works(first)).toBe(true);
  const before = await sealed();
  expect(before).toHaveLength(2);

  // With the new key first, startup encrypts everything with it.
  const both = await startServerOn(databaseUrl, { secretKey: `${SECOND},${FIRST}` });
  expect(await works(both)).toBe(true);
  const after = await sealed();
  expect(after).toHaveLength(2);
  expect(after.filter((one) => before.includes(one))).toEqual([]);

  const second = await startServerOn(databaseUrl, { secretKey: SECOND });
  expect(await works(second)).toBe(true);
  expect(await sealed()).toEqual(after);

  // A wrong key is reported in the log and in errors, and stored keys are kept.
  const wrong = await startServerOn(databaseUrl, { secretKey: FIRST });
  expect(wrong.logged.some((line) => line.includes('cannot be decrypted'))).toBe(true);
  const params = { model_config_id: config.id };
  const failed = await wrong.admin.ok('testModelConfig', { params });
  expect(failed).toMatchObject({ ok: false, error: { kind: 'missing_key' } });
  expect(failed.message).toContain('CHATD_SECRET_KEY');
  expect(await sealed()).toEqual(after);
  // An admin can set the provider's key again.
  await wrong.admin.ok('updateProvider', {
    params: { provider_id: provider.id },
    body: { api_key: KEY },
  });
  expect(await works(wrong)).toBe(true);
});

test('a ciphertext that is copied to another row cannot be decrypted', async () => {
  const server = await startTestServer({ secretKey: FIRST });
  const create = async (over: object) =>
    await server.admin.ok('createProvider', {
      body: { type: 'anthropic', name: 'x', base_url: fake.url, ...over },
    });
  const from = await create({ api_key: KEY });
  const to = await create({ api_key: 'sk-another-key' });
  await server.store.database.query(
    statement<{ from: string; to: string }, never>(
      'copy',
      `UPDATE providers SET secrets = (SELECT secrets FROM providers WHERE id = :from)
        WHERE id = :to`,
    ),
    { from: from.id, to: to.id },
  );
  const result = await server.admin.ok('testProvider', { params: { provider_id: to.id } });
  expect(result).toMatchObject({ ok: false, error: { kind: 'missing_key' } });
});

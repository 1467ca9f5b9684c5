import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, startFakeProvider, text, toolCall } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { makeRepository } from '@chatd/test-server/workspaces';

const directory = await makeTemporaryDirectory();
const dataDir = join(directory, 'data');
await mkdir(dataDir);
const repository = await makeRepository(join(directory, 'repository'), {
  'AGENTS.md': 'Always be kind to the tests.\n',
  'sum.mjs': 'export const sum = (a, b) => a - b;\n',
  'test.mjs': "import { sum } from './sum.mjs';\nif (sum(1, 2) !== 3) throw new Error('wrong');\n",
});
const fake = await startFakeProvider({ api: 'anthropic' });
afterAll(async () => {
  await fake.close();
  await rm(directory, { recursive: true, force: true });
});
const { admin, owner } = await startTestServer({
  dataDir,
  concurrency: 4,
  secretKey: 'a-secret-key-for-tests',
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
});

test('a model creates a workspace, finds a bug, fixes it, and sees the test pass', async () => {
  await admin.ok('createTemplate', {
    body: {
      name: 'sums',
      driver: 'host',
      source: { git: { url: repository } },
      setup: 'echo set up',
    },
  });
  const provider = await admin.ok('createProvider', {
    body: { type: 'anthropic', name: 'fake', base_url: fake.url, api_key: 'sk-any-key-at-all' },
  });
  const { id: model_config_id } = await admin.ok('createModelConfig', {
    body: { provider_id: provider.id, model: 'claude-sonnet-4-5', context_limit: 200_000 },
  });
  const steps = [
    answer([toolCall('create_workspace', { template: 'sums' })]),
    answer([
      toolCall('execute', { command: 'node test.mjs' }),
      toolCall('search_files', { pattern: 'sum =' }),
    ]),
    answer([
      toolCall('edit_files', {
        files: [{ path: 'sum.mjs', edits: [{ old_text: 'a - b', new_text: 'a + b' }] }],
      }),
    ]),
    answer([toolCall('execute', { command: 'node test.mjs && cat sum.mjs', timeout: 60 })]),
    answer([text('It is right now.')]),
    answer([text('Yes.')]),
  ];
  // A request for a title may come at any time.
  fake.answerWith(({ body }) =>
    JSON.stringify(body).includes('create_workspace')
      ? (steps.shift() ?? answer([text('no more')]))
      : answer([text('A title')]),
  );

  const chat = await owner.ok('createChat', { body: { content: 'Fix the sum.', model_config_id } });
  const params = { chat_id: chat.id };
  const waiting = () =>
    eventually(async () =>
      expect(await owner.ok('getChat', { params })).toMatchObject({ status: 'waiting' }),
    );
  await waiting();
  const { messages } = await owner.ok('listMessages', { params });
  const results = messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'tool-result' ? [part] : [])),
  );
  expect(results.map(({ tool_name, is_error }) => [tool_name, is_error ?? false])).toEqual([
    ['create_workspace', false],
    ['execute', false],
    ['search_files', false],
    ['edit_files', false],
    ['execute', false],
  ]);
  expect(results[1]?.result).toMatchObject({
    exit_code: 1,
    output: expect.stringContaining('Error: wrong'),
  });
  expect(results[2]?.result).toBe('sum.mjs:1:export const sum = (a, b) => a - b;');
  expect(results[4]?.result).toEqual({
    exit_code: 0,
    output: 'export const sum = (a, b) => a + b;\n',
  });
  const { repositories } = await owner.ok('getChatDiff', { params });
  expect(repositories[0]?.files).toMatchObject([{ path: 'sum.mjs', additions: 1, deletions: 1 }]);

  await owner.ok('sendMessage', { params, body: { content: 'Sure?' } });
  await waiting();
  await eventually(() => expect(steps).toEqual([]));
  const last = fake.requests.findLast(({ body }) => JSON.stringify(body).includes('Sure?'));
  expect(JSON.stringify(last?.body)).toContain('Always be kind to the tests.');
});

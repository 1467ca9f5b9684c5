import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { answer, startFakeProvider, text, toolCall } from '@chatd/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type ServerProcess, spawnServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { readyWorkspace } from '@chatd/test-server/workspaces';
import { fileTree } from '../support/file-tree.ts';

const FILES = 300;
const OPTIONS = { env: { CHATD_ALLOW_PRIVATE_URLS: '1' } };
const fill = (word: string) =>
  toolCall('execute', {
    command: `for i in $(seq 1 ${FILES}); do mkdir -p ${word}; echo ${word} > $i; done; chmod 600 1; ln -sf ${word} link`,
  });

test('after kill -9 during a restore, the next server completes it before anything reads the files', async () => {
  const dataDir = await makeTemporaryDirectory();
  const fake = await startFakeProvider({ api: 'anthropic' });
  let server: ServerProcess = await spawnServer(dataDir, OPTIONS);
  onTestFinished(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
    await fake.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { client } = server;
  const { id: provider_id } = await client.ok('createProvider', {
    body: { type: 'anthropic', name: 'fake', base_url: fake.url, api_key: 'sk-any-key-at-all' },
  });
  const { id: model_config_id } = await client.ok('createModelConfig', {
    body: { provider_id, model: 'claude-sonnet-4-5', context_limit: 200_000 },
  });
  const workspace_id = await readyWorkspace(client);
  const base = join(dataDir, 'workspaces', workspace_id);
  const steps = [[fill('one')], [text('Done.')], [fill('two')], [text('Done.')]];
  fake.answerWith(({ body }) =>
    answer(JSON.stringify(body).includes('write_file') ? (steps.shift() ?? []) : [text('Title')]),
  );
  const { id: chat_id } = await client.ok('createChat', {
    body: { content: 'One.', model_config_id, workspace_id },
  });
  const waiting = () =>
    eventually(async () =>
      expect(await client.ok('getChat', { params: { chat_id } })).toMatchObject({
        status: 'waiting',
      }),
    );
  await waiting();
  const one = fileTree(join(base, 'files'));
  await client.ok('sendMessage', { params: { chat_id }, body: { content: 'Two.' } });
  await waiting();
  expect(fileTree(join(base, 'files'))).not.toEqual(one);

  const list = async () =>
    (await server.client.ok('listCheckpoints', { params: { chat_id } })).checkpoints;
  const before = (await list()).find(({ kind }) => kind === 'before_turn');
  const params = { chat_id, checkpoint_id: before?.id ?? '' };
  const journal = join(base, 'checkpoints', 'restore.json');
  void client.call('restoreCheckpoint', { params, body: {} }).catch(() => undefined);
  while (!existsSync(journal)) await setImmediate();
  expect(readFileSync(journal, 'utf8')).toContain('"isDone":false');
  server.child.kill('SIGKILL');
  expect(await server.ended).toBe('SIGKILL');

  server = await spawnServer(dataDir, OPTIONS);
  const download = await server.client.call('getWorkspaceFile', {
    params: { workspace_id },
    query: { path: String(FILES) },
  });
  expect(download.text).toContain('one');
  expect(fileTree(join(base, 'files'))).toEqual(one);
  expect((await list())[0]).toMatchObject({ kind: 'restore' });
}, 600_000);

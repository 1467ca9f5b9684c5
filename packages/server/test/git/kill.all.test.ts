import { rm } from 'node:fs/promises';
import { spawnServer } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { startGitHost } from '@chatd/test-server/git';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { readyWorkspace } from '@chatd/test-server/workspaces';
import { answer, startFakeProvider, text, toolCall } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';

const TOKEN = 'token-of-the-killed-0123456789';
const BRANCH = 'chatd/next';

const dataDir = await makeTemporaryDirectory();
const { url: databaseUrl } = await createTestDatabase();
const host = await startGitHost(TOKEN);
const fake = await startFakeProvider({ api: 'anthropic' });
const start = (address: string) =>
  spawnServer(dataDir, {
    args: ['--lease-seconds', '3', '--allow-private-urls', '1', '--listen', address],
    env: {
      CHATD_DATABASE_URL: databaseUrl,
      CHATD_SECRET_KEY: 'a-secret-key-for-tests',
      NODE_EXTRA_CA_CERTS: host.certificate,
    },
  });
let server = await start('127.0.0.1:0');
const { url, client } = server;
afterAll(async () => {
  server.child.kill('SIGKILL');
  await server.ended;
  await fake.close();
  await rm(dataDir, { recursive: true, force: true });
});

const provider = await client.ok('createProvider', {
  body: { type: 'anthropic', name: 'fake', base_url: fake.url, api_key: 'sk-any-key-at-all' },
});
const { id: model_config_id } = await client.ok('createModelConfig', {
  body: { provider_id: provider.id, model: 'claude-sonnet-4-5', context_limit: 200_000 },
});
await client.ok('createGitConnection', { body: { host: host.host, kind: 'github', token: TOKEN } });

const branches = async (repository: string) =>
  (await host.repositories.git(repository, 'branch', '--format=%(refname:short)'))
    .split('\n')
    .toSorted();

const restarted = async () => {
  expect(await server.ended).toBe('SIGKILL');
  server = await start(new URL(url).host);
};

const PUSH = /^POST .*\/git-receive-pack$/;
const OPEN = /^POST .*\/pulls$/;

test.each([
  ['a push has arrived', 'push-arrived', PUSH, 'arrived'],
  ['a push is done', 'push-done', PUSH, 'done'],
  ['a pull request has arrived', 'open-arrived', OPEN, 'arrived'],
  ['a pull request is opened', 'open-done', OPEN, 'done'],
] as const)(
  'kill -9 when %s at the host: the operation happens once',
  async (_, name, wanted, point) => {
    const repository = `acme/${name}`;
    await host.repositories.create(repository, { 'README.md': 'A shop.\n' });
    const { id: template_id } = await client.ok('createTemplate', {
      body: {
        name,
        driver: 'host',
        source: { git: { url: `https://${host.host}/${repository}.git` } },
      },
    });
    const workspace_id = await readyWorkspace(client, template_id);
    const before = await branches(repository);
    const destination = `${host.host}/${repository}`;
    const steps = [
      toolCall('write_file', { path: 'README.md', content: 'A store.\n' }, { id: `${name}-write` }),
      toolCall(
        'git_push',
        { destination, branch: BRANCH, message: 'Next' },
        { id: `${name}-push` },
      ),
      toolCall('open_pull_request', { destination, title: 'Next' }, { id: `${name}-open` }),
    ];
    // A killed server asks again, so the answer depends only on the prompt.
    fake.answerWith(({ body }) => {
      const prompt = JSON.stringify(body['messages']);
      const next = steps.find(({ id }) => !prompt.includes(`"tool_use_id":"${id}"`));
      if (body['tools'] === undefined || next === undefined) return answer([text('Done.')]);
      return answer([next]);
    });
    let kills = 0;
    host.onRequest = async ({ method, url: path }, at) => {
      if (kills > 0 || at !== point || !wanted.test(`${method} ${path}`)) return true;
      kills += 1;
      server.child.kill('SIGKILL');
      await server.ended;
      return false;
    };
    const { id: chat_id } = await client.ok('createChat', {
      body: { content: 'Go', title: 'Next', model_config_id, workspace_id },
    });
    const params = { chat_id };
    const until = (status: string, call?: string) =>
      eventually(async () => {
        expect(await client.ok('getChat', { params })).toMatchObject({ status });
        const { messages } = await client.ok('listMessages', { params });
        const part = messages.at(-1)?.content.at(-1);
        expect(part?.type === 'tool-call' ? part.tool_call_id : undefined).toBe(call);
      });
    const allow = async (tool_call_id: string) => {
      const body = { decisions: [{ tool_call_id, decision: 'allow' }] };
      await client.ok('decideApprovals', { params, body });
    };

    await until('requires_action', `${name}-push`);
    await allow(`${name}-push`);
    if (wanted === PUSH) await restarted();
    await until('requires_action', `${name}-open`);
    await allow(`${name}-open`);
    if (wanted === OPEN) await restarted();
    await until('waiting');
    expect(kills).toBe(1);

    const { messages } = await client.ok('listMessages', { params });
    const results = messages.flatMap(({ content }) =>
      content.flatMap((part) =>
        part.type === 'tool-result' ? [[part.tool_name, part.is_error ?? false, part.result]] : [],
      ),
    );
    expect(results).toMatchObject([
      ['write_file', false, {}],
      ['git_push', false, { branch: BRANCH }],
      ['open_pull_request', false, { number: 1, base: 'main' }],
    ]);
    // One commit, one branch, one pull request.
    const log = await host.repositories.git(repository, 'log', '--format=%s', `main..${BRANCH}`);
    expect(log).toBe('Next');
    expect(await branches(repository)).toEqual([BRANCH, ...before].toSorted());
    expect(host.repositories.pulls(repository)).toMatchObject([{ number: 1, branch: BRANCH }]);
  },
  240_000,
);

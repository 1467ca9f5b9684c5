import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { config, startTestServer } from '@chatd/test-server';
import { dump } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { startGitHost } from '@chatd/test-server/git';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { answer, startFakeProvider, text, toolCall } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { makeBackup } from '../../src/backup/index.ts';
import { startOtlpReceiver } from '../observability/otlp-receiver.ts';

const run = promisify(execFile);
const TOKEN = 'tokenOfAnnThatNobodyMaySee0123456789';
const REPOSITORY = 'acme/shop';

const directory = await makeTemporaryDirectory();
const dataDir = join(directory, 'data');
await mkdir(dataDir);
const host = await startGitHost(TOKEN);
await host.repositories.create(REPOSITORY, { 'README.md': 'A shop.\n' });
await host.repositories.create('acme/secret', { 'plan.md': 'Not for everyone.\n' });
const fake = await startFakeProvider({ api: 'anthropic' });
afterAll(async () => {
  await fake.close();
  await rm(directory, { recursive: true, force: true });
});
const receiver = await startOtlpReceiver();
afterAll(() => receiver.close());
const server = await startTestServer(
  {
    dataDir,
    concurrency: 4,
    secretKey: 'a-secret-key-for-tests',
    workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
  },
  {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    },
  },
);
const { admin, owner, stranger, databaseUrl, logged } = server;

const provider = await admin.ok('createProvider', {
  body: { type: 'anthropic', name: 'fake', base_url: fake.url, api_key: 'sk-any-key-at-all' },
});
const { id: model_config_id } = await admin.ok('createModelConfig', {
  body: { provider_id: provider.id, model: 'claude-sonnet-4-5', context_limit: 200_000 },
});
await admin.ok('updateSettings', { body: { debug_record: { enabled: true } } });
const template = await admin.ok('createTemplate', {
  body: {
    name: 'shop',
    driver: 'host',
    source: { git: { url: `https://${host.host}/${REPOSITORY}.git` } },
  },
});

const connect = (client = owner, over: object = {}) =>
  client.ok('createGitConnection', {
    body: {
      host: host.host,
      kind: 'github',
      token: TOKEN,
      repositories: [REPOSITORY],
      ...over,
    },
  });

/** Answers the model's next steps. Other requests are for titles. */
const script = (...steps: ReturnType<typeof answer>[]) =>
  fake.answerWith(({ body }) =>
    JSON.stringify(body).includes('create_workspace')
      ? (steps.shift() ?? answer([text('no more')]))
      : answer([text('Fix the shop')]),
  );

const execute = (command: string) => answer([toolCall('execute', { command })]);

const readyWorkspace = async (client = owner) => {
  const { id } = await client.ok('createWorkspace', { body: { template_id: template.id } });
  const params = { workspace_id: id };
  return await eventually(async () => {
    const workspace = await client.ok('getWorkspace', { params });
    expect(workspace.status).not.toBe('creating');
    return workspace;
  });
};

const resultsOf = async (chat_id: string) => {
  const { messages } = await owner.ok('listMessages', { params: { chat_id } });
  return messages.flatMap(({ content }) =>
    content.flatMap((part) =>
      part.type === 'tool-result' ? [{ name: part.tool_name, result: part.result }] : [],
    ),
  );
};

const until = (chat_id: string, status: string) =>
  eventually(async () =>
    expect(await owner.ok('getChat', { params: { chat_id } })).toMatchObject({ status }),
  );

test('a private repository is not cloned without a connection', async () => {
  const workspace = await readyWorkspace(stranger);
  expect(workspace).toMatchObject({ status: 'failed' });
});

test('a token that the host refuses, or of another kind of host, is not stored', async () => {
  const body = { host: host.host, kind: 'github', token: 'wrong-token' };
  const refused = await owner.call('createGitConnection', { body });
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('refused the token');
  expect(refused.text).not.toContain('wrong-token');
  const { git_connections } = await owner.ok('listGitConnections');
  expect(git_connections).toEqual([]);
});

test('an agent clones, changes, pushes, and opens a pull request without ever seeing the token', async () => {
  expect(await connect()).toMatchObject({ host: host.host, kind: 'github', account: 'ann' });
  const workspace = await readyWorkspace();
  expect(workspace).toMatchObject({ status: 'ready' });
  host.gitHeaders.length = 0;
  const destination = `${host.host}/${REPOSITORY}`;
  script(
    execute('echo changed >> README.md; git fetch && git ls-remote origin main'),
    execute(`git clone https://${host.host}/acme/secret /tmp/secret`),
    execute('git switch -q -c mine && git commit -qam mine && git push origin mine'),
    execute('git switch -q main && echo again >> README.md'),
    execute(
      'env; git config --list --show-origin; git remote -v; cat ~/.gitconfig .git/config; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"',
    ),
    execute(
      `export GIT_TERMINAL_PROMPT=0; GIT_TRACE_CURL=1 GIT_TRACE=1 git fetch; printf 'protocol=https\\nhost=${host.host}\\n' | git credential fill`,
    ),
    answer([
      toolCall(
        'git_push',
        { destination, branch: 'chatd/fix-the-shop', message: 'Fix the shop' },
        { id: 'push' },
      ),
    ]),
    answer([toolCall('open_pull_request', { destination, title: 'Fix the shop' }, { id: 'open' })]),
    answer([text('Done.')]),
  );
  const { id: chat_id } = await owner.ok('createChat', {
    body: { content: 'create_workspace is done', model_config_id, workspace_id: workspace.id },
  });
  const params = { chat_id };
  await until(chat_id, 'requires_action');
  const before = await resultsOf(chat_id);
  expect(before[0]?.result).toMatchObject({ exit_code: 0 });
  expect(before[1]?.result).toMatchObject({
    exit_code: 128,
    output: expect.stringContaining('does not allow the repository acme/secret'),
  });
  expect(before[2]?.result).toMatchObject({
    exit_code: 128,
    output: expect.stringContaining('Use the tool git_push'),
  });
  expect(await host.repositories.commit(REPOSITORY, 'mine')).toBeUndefined();
  expect(await host.repositories.commit(REPOSITORY, 'chatd/fix-the-shop')).toBeUndefined();

  const allow = async (tool_call_id: string) =>
    await owner.ok('decideApprovals', {
      params,
      body: { decisions: [{ tool_call_id, decision: 'allow' }] },
    });
  // An editor can deny a push, but cannot allow one with the owner's account.
  const { id: user_id } = await stranger.ok('getMe');
  const grants = [{ user_id, role: 'editor' }];
  await owner.ok('replaceChatSharing', { params, body: { grants } });
  const decisions = [{ tool_call_id: 'push', decision: 'allow' }];
  expect(await stranger.refusal('decideApprovals', { params, body: { decisions } })).toBe(
    '403 role_required',
  );
  expect(await owner.ok('getChat', { params })).toMatchObject({ status: 'requires_action' });
  expect(await stranger.refusal('pushChatGit', { params, body: {} })).toBe('403 role_required');

  // All processes of the machine as root sees them, while git runs in the workspace.
  const processes: string[] = [];
  host.onRequest = async ({ url }) => {
    if (url.endsWith('/git-receive-pack')) processes.push(await processList());
    return true;
  };
  await allow('push');
  await eventually(async () => {
    expect((await resultsOf(chat_id)).map(({ name }) => name)).toContain('git_push');
    expect(await owner.ok('getChat', { params })).toMatchObject({ status: 'requires_action' });
  });
  await allow('open');
  await until(chat_id, 'waiting');
  const after = await resultsOf(chat_id);
  expect(after.at(-2)).toMatchObject({
    name: 'git_push',
    result: { branch: 'chatd/fix-the-shop' },
  });
  expect(after.at(-1)).toMatchObject({ name: 'open_pull_request', result: { number: 1 } });
  const log = await host.repositories.git(
    REPOSITORY,
    'log',
    '-1',
    '--format=%an <%ae>%n%B',
    'chatd/fix-the-shop',
  );
  expect(log).toContain('Ann Example <7+ann@users.noreply.127.0.0.1>');
  expect(log).toContain('Co-authored-by: chatd agent');

  // Only these headers reached the host, and its cookies did not come back.
  for (const headers of host.gitHeaders) expect(headers).not.toHaveProperty('cookie');
  expect(host.gitHeaders.length).toBeGreaterThan(0);

  // The token is nowhere that an agent or a reader of the server's data could find it.
  const spellings = [TOKEN, Buffer.from(`x-access-token:${TOKEN}`).toString('base64')];
  await receiver.span('execute_tool open_pull_request');
  const record = await admin.call('listDebugEntries', { params });
  /** Each with a text that it must contain, so that no check is vacuous. */
  const everything: Record<string, readonly [content: string, has: string]> = {
    results: [JSON.stringify(after), 'open_pull_request'],
    model: [JSON.stringify(fake.requests), 'chatd/fix-the-shop'],
    logs: [logged.join('\n'), 'chatd started'],
    processes: [processes.join('\n'), 'git-remote-http'],
    database: [await dump(databaseUrl), host.host],
    files: [await filesBelow(dataDir), 'Fix the shop'],
    traces: [receiver.bodies.join('\n'), 'chatd/fix-the-shop'],
    'debug record': [record.text, 'chatd/fix-the-shop'],
    backup: [await backup(), host.host],
  };
  for (const [where, [content, has]] of Object.entries(everything)) {
    expect(content.includes(has), `${where} has ${has}`).toBe(true);
    for (const spelling of spellings) expect(content.includes(spelling), where).toBe(false);
  }
}, 240_000);

test('the panel pushes changes and shows the pull request with its checks, reviews, and comments', async () => {
  const { id: workspace_id } = await readyWorkspace();
  script(answer([text('What should I do?')]));
  const { id: chat_id } = await owner.ok('createChat', {
    body: { content: 'Hello', title: 'Rename the Shop, please!', model_config_id, workspace_id },
  });
  const params = { chat_id };
  await until(chat_id, 'waiting');
  const status = async () => (await owner.ok('getChatGit', { params })).repositories[0];
  await owner.ok('writeWorkspaceFile', {
    params: { workspace_id },
    query: { path: 'name.txt' },
    raw: 'Store',
    headers: { 'content-type': 'application/octet-stream' },
  });
  const before = await status();
  const branch = before?.suggested_branch ?? '';
  expect(branch).toMatch(/^chatd\/rename-the-shop-please-[0-9a-f]{4}$/);
  expect(before).toMatchObject({
    path: '.',
    branch: 'main',
    default_branch: 'main',
    uncommitted: 1,
    remote: { host: host.host, repository: REPOSITORY, connection: 'github' },
    pull_request: null,
  });
  const main = await host.repositories.commit(REPOSITORY, 'main');
  expect(
    await owner.refusal('pushChatGit', { params, body: { branch: 'main', message: 'x' } }),
  ).toBe('409 git_push_failed');
  expect(await host.repositories.commit(REPOSITORY, 'main')).toBe(main);
  expect(
    await owner.refusal('pushChatGit', {
      params,
      body: { destination: `${host.host}/acme/other` },
    }),
  ).toBe('400 unknown_repository');
  expect(await owner.refusal('createPullRequest', { params, body: { title: 'x' } })).toBe(
    '409 git_host_refused',
  );
  expect(
    await owner.ok('pushChatGit', { params, body: { message: 'Rename the shop' } }),
  ).toMatchObject({ branch, pushed: true, ahead: 0, behind: 0, uncommitted: 0 });
  const body = { title: 'Rename the shop', body: 'As you asked.' };
  const opened = await owner.ok('createPullRequest', { params, body });
  expect(opened).toMatchObject({ title: 'Rename the shop', state: 'open', base: 'main' });
  // A repeated request returns the same pull request.
  expect(await owner.ok('createPullRequest', { params, body })).toMatchObject({
    number: opened.number,
  });

  // The status counts commits of others since the last fetch, and unpushed commits.
  const { repositories } = host;
  const ann = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
  const theirs = ['commit-tree', `${branch}^{tree}`, '-p', branch, '-m', 'Theirs'];
  const commit = await repositories.git(REPOSITORY, ...ann, ...theirs);
  await repositories.git(REPOSITORY, 'update-ref', `refs/heads/${branch}`, commit);
  const mine = `git ${ann.join(' ')} commit -q --allow-empty -m`;
  script(execute(`git fetch -q && ${mine} one && ${mine} two`), answer([text('Done.')]));
  await owner.ok('sendMessage', { params, body: { content: 'create_workspace is done: commit' } });
  await eventually(async () =>
    expect(await status()).toMatchObject({ branch, ahead: 2, behind: 1, uncommitted: 0 }),
  );
  await until(chat_id, 'waiting');
  // A push is never forced.
  expect(await owner.refusal('pushChatGit', { params, body: {} })).toBe('409 git_push_failed');
  expect(await repositories.commit(REPOSITORY, branch)).toBe(commit);
  const events = await admin.ok('listAuditEvents', { query: { limit: 50 } });
  const actions = events.audit_events.map(({ action, target_id }) => `${action} ${target_id}`);
  expect(actions).toEqual(
    expect.arrayContaining([`chat.git_push ${chat_id}`, `chat.create_pull_request ${chat_id}`]),
  );
});

test('a disconnected host is unreachable immediately', async () => {
  const { git_connections } = await owner.ok('listGitConnections');
  const git_connection_id = git_connections[0]?.id ?? '';
  await owner.ok('deleteGitConnection', { params: { git_connection_id } });
  expect(await readyWorkspace()).toMatchObject({ status: 'failed' });
});

test('guests cannot open the workspace of a suspended user', async () => {
  const { chats } = await owner.ok('listChats', { query: { q: 'Rename' } });
  const params = { chat_id: chats[0]?.id ?? '' };
  const { id: user_id } = await stranger.ok('getMe');
  await owner.ok('replaceChatSharing', { params, body: { grants: [{ user_id, role: 'viewer' }] } });
  const { repositories } = await stranger.ok('getChatGit', { params });
  expect(repositories).toHaveLength(1);
  const { id } = await owner.ok('getMe');
  await admin.ok('updateUser', { params: { user_id: id }, body: { suspended: true } });
  expect(await stranger.ok('getChatGit', { params })).toEqual({
    workspace_id: null,
    repositories: [],
  });
});

/** A full backup without the secret key. */
async function backup(): Promise<string> {
  const target = new PassThrough();
  const [content] = await Promise.all([
    buffer(target),
    makeBackup(config({ databaseUrl, dataDir }), {
      target,
      withWorkspaces: true,
      withSecretKey: false,
      now: new Date(),
      onProgress: () => undefined,
    }),
  ]);
  return gunzipSync(content).toString('latin1');
}

/** Arguments and environments of all processes except this one, which is also the Git host. */
async function processList(): Promise<string> {
  const script = `for p in /proc/[0-9]*; do [ "$p" = /proc/${process.pid} ] || cat $p/cmdline $p/environ; done 2>/dev/null | tr "\\0" "\\n"`;
  const { stdout } = await run('sh', ['-c', script], { maxBuffer: 512 * 1024 * 1024 });
  return stdout;
}

async function filesBelow(folder: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', 'find . -type f -size -5M -print0 | xargs -0 cat'], {
    cwd: folder,
    encoding: 'latin1',
    maxBuffer: 512 * 1024 * 1024,
  });
  return stdout;
}

import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startServerOn, startTestServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { makeRepository } from '@chatd/test-server/workspaces';

const directory = await makeTemporaryDirectory();
const dataDir = join(directory, 'data');
const templatesDir = join(directory, 'templates');
await mkdir(dataDir);
await mkdir(templatesDir);
const repository = await makeRepository(join(directory, 'repository'), {
  'README.md': 'hello\n',
  'src/a.txt': 'one\ntwo\nthree\n',
  'src/gone.txt': 'gone\n',
});
await writeFile(
  join(templatesDir, 'from-file.json'),
  JSON.stringify({ driver: 'host', description: 'of a file', source: { path: repository } }),
);
await writeFile(join(templatesDir, 'broken.json'), '{"driver": "spaceship"}');

const settings = {
  dataDir,
  secretKey: 'a-secret-key-for-tests',
  workspaces: { enabled: true, templatesDir, idleMs: 0, allowUnsandboxed: false },
};
const server = await startTestServer(settings);
const { admin, owner, stranger } = server;
// A machine that a test has just started may still be copying its tools there.
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));

const filesOf = (id: string) => join(dataDir, 'workspaces', id, 'files');

async function make(template: object, name: string): Promise<string> {
  const { id: template_id } = await admin.ok('createTemplate', { body: { name, ...template } });
  return (await owner.ok('createWorkspace', { body: { template_id } })).id;
}

async function until(id: string, status: string) {
  return await eventually(async () => {
    const workspace = await owner.ok('getWorkspace', { params: { workspace_id: id } });
    expect(workspace).toMatchObject({ status });
    return workspace;
  });
}

test('an admin creates, changes and deletes templates', async () => {
  const template = await admin.ok('createTemplate', {
    body: { name: 'mine', driver: 'host', env: { KEY: 'value' }, limits: { memory_mb: 512 } },
  });
  expect(template).toMatchObject({ name: 'mine', env: { KEY: 'value' }, from_file: false });
  const params = { template_id: template.id };
  expect(await admin.refusal('createTemplate', { body: { name: 'mine', driver: 'host' } })).toBe(
    '409 template_name_taken',
  );
  const changed = await admin.ok('updateTemplate', { params, body: { network: true } });
  expect(changed).toMatchObject({ network: 'internet', limits: { memory_mb: 512 } });
  const allowlist = { allowlist: ['packages.example.net', '*.example.org:8443'] };
  const listed = await admin.ok('updateTemplate', { params, body: { network: allowlist } });
  expect(listed).toMatchObject({ network: allowlist });
  for (const host of ['https://example.org', 'a b', '*.*.org', '[::1]', 'x:0']) {
    const body = { network: { allowlist: [host] } };
    expect(await admin.refusal('updateTemplate', { params, body })).toMatch(/^400 invalid_/);
  }
  const docker = { driver: 'docker' as const };
  expect(await admin.refusal('updateTemplate', { params, body: docker })).toBe(
    '400 invalid_request',
  );
  await admin.ok('updateTemplate', { params, body: { network: 'internet' } });
  const gone = await admin.ok('updateTemplate', { params, body: { source: null, image: null } });
  expect(gone).not.toHaveProperty('source');
  expect(gone).toMatchObject({ network: 'internet', limits: { memory_mb: 512 } });
  const seen = await stranger.ok('listTemplates');
  expect(seen.templates.find(({ id }) => id === template.id)).not.toHaveProperty('env');
  const off = await admin.ok('updateTemplate', { params, body: { network: 'none' } });
  expect(off).not.toHaveProperty('network');
  await admin.ok('deleteTemplate', { params });
  expect(await admin.refusal('getTemplate', { params })).toBe('404 not_found');
});

test('templates from files are listed and read-only, and an invalid one is logged', async () => {
  const { templates } = await owner.ok('listTemplates');
  expect(templates.map(({ name }) => name)).toEqual(['empty', 'from-file']);
  const template = templates[1];
  expect(template).toMatchObject({ from_file: true, description: 'of a file' });
  const params = { template_id: template?.id ?? '' };
  expect(await admin.refusal('deleteTemplate', { params })).toBe('409 template_from_file');
  expect(await admin.refusal('updateTemplate', { params, body: { name: 'x' } })).toBe(
    '409 template_from_file',
  );
  expect(
    await admin.refusal('createTemplate', { body: { name: 'from-file', driver: 'host' } }),
  ).toBe('409 template_name_taken');
  expect(server.logged.filter((line) => line.includes('broken.json'))).toHaveLength(1);
});

test.each([
  ['an invalid source', { source: { git: { url: '--upload-pack=touch /tmp/x' } } }],
  ['a relative path', { source: { path: 'here' } }],
  ['an invalid variable name', { env: { 'A B': 'x' } }],
  ['an unknown driver', { driver: 'spaceship' }],
  ['a memory limit of 0', { limits: { memory_mb: 0 } }],
  ['a Git reference that is an option', { source: { git: { url: '/x', ref: '--orphan' } } }],
])('%s is refused', async (_, fields) => {
  const body = { name: 'bad', driver: 'host', ...fields };
  expect(await admin.refusal('createTemplate', { body })).toMatch(/^400 invalid_/);
});

test('a workspace is created from a repository at a Git reference, with its setup', async () => {
  const id = await make(
    {
      driver: 'host',
      source: { git: { url: repository, ref: 'next' } },
      setup: 'echo "setting up as $WHO in $(pwd)"; cp NEXT made-by-set-up',
      env: { WHO: 'tester' },
    },
    'repository',
  );
  const { log } = await until(id, 'ready');
  expect(log).toContain('setting up as tester in /workspace');
  expect(await readFile(join(filesOf(id), 'made-by-set-up'), 'utf8')).toBe('only on next\n');
  const { workspaces } = await owner.ok('listWorkspaces', { query: { limit: 1 } });
  expect(workspaces).toMatchObject([{ id, template_name: 'repository', status: 'ready' }]);
  expect((await stranger.ok('listWorkspaces')).workspaces).toEqual([]);
});

test('a workspace is created from a folder, or empty', async () => {
  const { templates } = await owner.ok('listTemplates');
  for (const { id: template_id, name } of templates.slice(0, 2)) {
    const { id } = await owner.ok('createWorkspace', { body: { template_id, name: `of ${name}` } });
    await until(id, 'ready');
    expect(existsSync(join(filesOf(id), 'README.md'))).toBe(name === 'from-file');
  }
  const body = { template_id: '00000000-0000-7000-8000-00000000dead' };
  expect(await owner.refusal('createWorkspace', { body })).toBe('400 unknown_template');
});

test('a failed setup reports why, and starting the workspace repeats it', async () => {
  const id = await make({ driver: 'host', setup: 'echo before; false; echo after' }, 'failing');
  const failed = await until(id, 'failed');
  expect(failed.error).toContain('The setup script failed with exit code 1');
  expect(failed.log).toBe('before\n');
  const params = { workspace_id: id };
  expect(await owner.refusal('stopWorkspace', { params })).toBe('409 workspace_not_ready');
  expect(await owner.ok('startWorkspace', { params })).toMatchObject({ status: 'creating' });
  await until(id, 'failed');
});

test('a missing repository is reported', async () => {
  const id = await make({ driver: 'host', source: { git: { url: '/nowhere/at/all' } } }, 'nowhere');
  expect((await until(id, 'failed')).error).toMatch(/nowhere/);
});

test('a workspace is stopped, started and deleted with its files', async () => {
  const id = await make({ driver: 'host' }, 'short-lived');
  const params = { workspace_id: id };
  await until(id, 'ready');
  const headers = { 'idempotency-key': `stop ${id}`.replaceAll(' ', '-') };
  expect(await owner.ok('stopWorkspace', { params, headers })).toMatchObject({ status: 'stopped' });
  expect(await owner.ok('stopWorkspace', { params })).toMatchObject({ status: 'stopped' });
  expect(await owner.ok('startWorkspace', { params })).toMatchObject({ status: 'ready' });
  await owner.ok('deleteWorkspace', { params });
  expect(await owner.refusal('getWorkspace', { params })).toBe('404 not_found');
  expect(existsSync(join(filesOf(id)))).toBe(false);
});

test('a workspace that is deleted during its creation leaves nothing behind', async () => {
  const id = await make({ driver: 'host', setup: 'echo begun; sleep 1000' }, 'slow');
  await eventually(async () => {
    const { log } = await owner.ok('getWorkspace', { params: { workspace_id: id } });
    expect(log).toContain('begun');
  });
  await owner.ok('deleteWorkspace', { params: { workspace_id: id } });
  expect(existsSync(filesOf(id))).toBe(false);
});

test('the workspaces of a deleted user are deleted', async () => {
  const user = await admin.ok('createUser', { body: { username: 'leaving' } });
  const { token } = await admin.ok('createToken', { body: { name: 't', user_id: user.id } });
  const body = { template_id: '00000000-0000-7000-8000-000000000003' };
  const theirs = server.as(token);
  const { id } = await theirs.ok('createWorkspace', { body });
  await eventually(async () =>
    expect(await theirs.ok('getWorkspace', { params: { workspace_id: id } })).toMatchObject({
      status: 'ready',
    }),
  );
  await admin.ok('deleteUser', { params: { user_id: user.id } });
  // Deleting a workspace triggers the cleanup, which otherwise runs periodically.
  const other = await owner.ok('createWorkspace', { body });
  await owner.ok('deleteWorkspace', { params: { workspace_id: other.id } });
  expect(existsSync(filesOf(id))).toBe(false);
});

test('requests with the same Idempotency-Key create one workspace', async () => {
  const body = { template_id: '00000000-0000-7000-8000-000000000003' };
  const headers = { 'idempotency-key': 'one-workspace' };
  const first = await owner.ok('createWorkspace', { body, headers });
  expect(await owner.ok('createWorkspace', { body, headers })).toEqual(first);
  await until(first.id, 'ready');
});

test('a chat can use only the workspaces of its owner', async () => {
  const id = await make({ driver: 'host' }, 'for chats');
  const body = { content: 'x', workspace_id: id };
  const chat = await owner.ok('createChat', { body });
  expect(chat).toMatchObject({ workspace_id: id });
  expect(await stranger.refusal('createChat', { body })).toBe('400 unknown_workspace');
  const theirs = await stranger.ok('createChat', { body: { content: 'x' } });
  expect(
    await stranger.refusal('updateChat', {
      params: { chat_id: theirs.id },
      body: { workspace_id: id },
    }),
  ).toBe('400 unknown_workspace');
  const params = { chat_id: chat.id };
  expect(await owner.ok('updateChat', { params, body: { workspace_id: null } })).not.toHaveProperty(
    'workspace_id',
  );
});

test('the diff of a chat shows the changes since its workspace was created', async () => {
  const id = await make({ driver: 'host', source: { git: { url: repository } } }, 'changing');
  const chat = await owner.ok('createChat', { body: { content: 'x', workspace_id: id } });
  const params = { chat_id: chat.id };
  const none = await owner.ok('createChat', { body: { content: 'x' } });
  expect(await owner.ok('getChatDiff', { params: { chat_id: none.id } })).toMatchObject({
    workspace_id: null,
    repositories: [],
  });
  await until(id, 'ready');
  expect(await owner.ok('getChatDiff', { params })).toMatchObject({
    workspace_id: id,
    repositories: [{ path: '.', branch: 'main', files: [], patch: '' }],
  });
  const files = filesOf(id);
  await writeFile(join(files, 'src/a.txt'), 'one\n2\nthree\n');
  await writeFile(join(files, 'new file.txt'), 'new\n');
  await writeFile(join(files, 'picture.bin'), Buffer.from([0, 1, 2]));
  await rm(join(files, 'src/gone.txt'));
  await owner.ok('stopWorkspace', { params: { workspace_id: id } });
  const { repositories } = await owner.ok('getChatDiff', { params });
  const [diff] = repositories;
  expect(diff?.files).toEqual([
    {
      path: 'src/a.txt',
      status: 'modified',
      additions: 1,
      deletions: 1,
      binary: false,
      untracked: false,
    },
    {
      path: 'src/gone.txt',
      status: 'deleted',
      additions: 0,
      deletions: 1,
      binary: false,
      untracked: false,
    },
    {
      path: 'new file.txt',
      status: 'added',
      additions: 1,
      deletions: 0,
      binary: false,
      untracked: true,
    },
    {
      path: 'picture.bin',
      status: 'added',
      additions: null,
      deletions: null,
      binary: true,
      untracked: true,
    },
  ]);
  expect(diff?.patch).toContain('-two\n+2\n');
  expect(diff?.patch).toContain('+new\n');
  expect(diff?.patch).toMatch(/Binary files .*picture\.bin/);
});

test('a workspace can be used from every replica, whatever its data directory', async () => {
  const id = await make({ driver: 'host', source: { git: { url: repository } } }, 'lasting');
  await until(id, 'ready');
  const chat = await owner.ok('createChat', { body: { content: 'x', workspace_id: id } });
  const token = await owner.ok('createToken', { body: { name: 'elsewhere' } });
  const again = await startServerOn(server.databaseUrl, settings);
  const params = { chat_id: chat.id };
  expect(await again.as(token.token).ok('getChatDiff', { params })).toMatchObject({
    repositories: [{ path: '.' }],
  });
  const other = await startServerOn(server.databaseUrl, {
    ...settings,
    dataDir: join(directory, 'other machine'),
  });
  expect(await other.as(token.token).ok('getChatDiff', { params })).toMatchObject({
    repositories: [{ path: '.' }],
  });
});

test('a server with workspaces disabled creates none', async () => {
  const without = await startServerOn(server.databaseUrl);
  const token = await owner.ok('createToken', { body: { name: 'without' } });
  const body = { template_id: '00000000-0000-7000-8000-000000000003' };
  expect(await without.as(token.token).refusal('createWorkspace', { body })).toBe(
    '409 workspaces_disabled',
  );
});

test('the number of workspaces per user is limited; deleted ones do not count', async () => {
  const { id: template_id } = await admin.ok('createTemplate', {
    body: { name: 'for quotas', driver: 'host' },
  });
  await admin.ok('updateSettings', { body: { max_workspaces_per_user: 2 } });
  const body = { template_id };
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => stranger.call('createWorkspace', { body })),
  );
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(replies.filter(({ status }) => status === 409)).toHaveLength(2);
  const { workspaces } = await stranger.ok('listWorkspaces');
  expect(workspaces).toHaveLength(2);
  expect(await stranger.refused('createWorkspace', { body })).toMatchObject({
    code: 'quota_exceeded',
    detail:
      'A user can have 2 workspaces. Delete some of them, or ask an admin to raise max_workspaces_per_user.',
  });
  await stranger.ok('deleteWorkspace', { params: { workspace_id: workspaces[0]?.id ?? '' } });
  await stranger.ok('createWorkspace', { body });
  await admin.ok('updateSettings', { body: { max_workspaces_per_user: 100 } });
});

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, startFakeProvider, text, toolCall } from '@chatd/testing';
import type { Checkpoint } from '@chatd/protocol';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '@chatd/test-server';
import { execute } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { uuidv7, uuidv7At } from '../../src/store/uuid.ts';
import { fileTree } from '../support/file-tree.ts';

const directory = await makeTemporaryDirectory();
const dataDir = join(directory, 'data');
await mkdir(dataDir);
const fake = await startFakeProvider({ api: 'anthropic' });
afterAll(async () => {
  await fake.close();
  await rm(directory, { recursive: true, force: true });
});
const { admin, owner, databaseUrl } = await startTestServer({
  dataDir,
  concurrency: 4,
  secretKey: 'a-secret-key-for-tests',
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
});
const provider = await admin.ok('createProvider', {
  body: { type: 'anthropic', name: 'fake', base_url: fake.url, api_key: 'sk-any-key-at-all' },
});
const { id: model_config_id } = await admin.ok('createModelConfig', {
  body: { provider_id: provider.id, model: 'claude-sonnet-4-5', context_limit: 200_000 },
});
const template = await admin.ok('createTemplate', { body: { name: 'plain', driver: 'host' } });
const workspace = await owner.ok('createWorkspace', { body: { template_id: template.id } });
await eventually(async () => {
  const { status } = await owner.ok('getWorkspace', { params: { workspace_id: workspace.id } });
  if (status !== 'ready') throw new Error(`the workspace is ${status}`);
});
const at = (path: string) => join(dataDir, 'workspaces', workspace.id, 'files', path);
const content = (path: string) => readFileSync(at(path), 'utf8');

let steps: Parameters<typeof answer>[0][] = [];
let subagentSteps: typeof steps = [];
// A request for a title may come at any time.
fake.answerWith(({ body }) => {
  if (!JSON.stringify(body).includes('write_file')) return answer([text('A title')]);
  const isSubagent = JSON.stringify(body['system'] ?? '').includes('You are a subagent');
  return answer((isSubagent ? subagentSteps : steps).shift() ?? [text('Done.')]);
});

const waiting = (chat_id: string) =>
  eventually(async () =>
    expect(await owner.ok('getChat', { params: { chat_id } })).toMatchObject({ status: 'waiting' }),
  );
const write = (path: string, lines: string) => toolCall('write_file', { path, content: lines });
const run = (command: string) => toolCall('execute', { command });

async function turn(chat_id: string, calls: typeof steps): Promise<void> {
  steps = calls;
  await owner.ok('sendMessage', { params: { chat_id }, body: { content: 'Go on.' } });
  await waiting(chat_id);
}

async function list(chat_id: string): Promise<Checkpoint[]> {
  return (await owner.ok('listCheckpoints', { params: { chat_id } })).checkpoints;
}

steps = [[write('a', '1\n2\n'), write('b', '1\n')], [run('mkdir -p empty; echo x > c')]];
const { id: chat_id } = await owner.ok('createChat', {
  body: { content: 'Begin.', model_config_id, workspace_id: workspace.id },
});
await waiting(chat_id);
await turn(chat_id, [[toolCall('read_file', { path: 'a' })]]);
await turn(chat_id, [[run('rm b; rmdir empty; echo 3 >> a')]]);

const totals = ({ kind, files, additions, deletions }: Checkpoint) =>
  `${kind} ${files} +${additions} -${deletions}`;

test('each turn that changes files has a checkpoint before it and one after each step', async () => {
  const checkpoints = await list(chat_id);
  expect(checkpoints.map(totals).toReversed()).toEqual([
    'before_turn 0 +0 -0',
    'step 2 +3 -0',
    'step 3 +4 -0',
    'before_turn 0 +0 -0',
    'step 2 +1 -1',
  ]);
  const [last] = checkpoints;
  const { messages } = await owner.ok('listMessages', { params: { chat_id } });
  const asked = messages.filter(({ role }) => role === 'user').map(({ id }) => id);
  expect(new Set(checkpoints.map(({ turn_message_id }) => turn_message_id))).toEqual(
    new Set([asked.at(0), asked.at(-1)]),
  );
  const { repositories } = await owner.ok('getCheckpointDiff', {
    params: { chat_id, checkpoint_id: last?.id ?? '' },
  });
  expect(repositories).toMatchObject([
    { files: [{ path: 'a' }, { path: 'b', status: 'deleted' }] },
  ]);
  expect(repositories[0]?.patch).toContain('+3');
});

test('a restore brings files back, is refused after foreign changes, and can be undone', async () => {
  const before = (await list(chat_id)).find(({ kind }) => kind === 'before_turn');
  const params = { chat_id, checkpoint_id: before?.id ?? '' };
  writeFileSync(at('a'), 'by hand\n');
  const refused = await owner.call('restoreCheckpoint', { params, body: {} });
  expect(refused.status).toBe(409);
  expect(JSON.parse(refused.text)).toMatchObject({
    code: 'files_changed',
    errors: [{ path: 'a' }],
  });
  expect(content('a')).toBe('by hand\n');
  const restored = await owner.ok('restoreCheckpoint', { params, body: { overwrite: true } });
  expect(totals(restored)).toBe('restore 2 +3 -1');
  expect([content('a'), content('b'), content('c')]).toEqual(['1\n2\n', '1\n', 'x\n']);

  const undo = (await list(chat_id)).find(({ kind }) => kind === 'before_restore');
  await owner.ok('restoreCheckpoint', {
    params: { chat_id, checkpoint_id: undo?.id ?? '' },
    body: {},
  });
  expect(content('a')).toBe('by hand\n');
  await expect(readFile(at('b'))).rejects.toThrow('ENOENT');
});

test('a completed restore is not repeated, and a turn that was cut off gets its last checkpoint', async () => {
  const first = (await list(chat_id)).findLast(({ kind }) => kind === 'step');
  await owner.ok('restoreCheckpoint', {
    params: { chat_id, checkpoint_id: first?.id ?? '' },
    body: { overwrite: true },
  });
  // The state after a kill between the last change and its record.
  await writeFile(at('a'), 'by hand\n');
  await execute(
    databaseUrl,
    `UPDATE checkpoints SET is_open = true WHERE id = (SELECT max(id::text)::uuid FROM checkpoints WHERE kind = 'restore')`,
  );
  expect((await list(chat_id))[0]?.kind).toBe('restore');
  expect(content('a')).toBe('by hand\n');
  expect(await execute(databaseUrl, 'SELECT 1 FROM checkpoints WHERE is_open')).toEqual([]);

  // A restore that never began, with files changed since: its record is removed.
  const refused = uuidv7();
  await execute(
    databaseUrl,
    `INSERT INTO checkpoints (id, chat_id, workspace_id, kind, base_tree, tree, files, additions, deletions, is_open)
     SELECT '${refused}', chat_id, workspace_id, kind, base_tree, tree, 0, 0, 0, true FROM checkpoints
      WHERE kind = 'restore' ORDER BY id DESC LIMIT 1`,
  );
  expect((await list(chat_id)).map(({ id }) => id)).not.toContain(refused);
  expect(content('a')).toBe('by hand\n');

  await execute(
    databaseUrl,
    `WITH turn AS (
       UPDATE checkpoints SET is_open = true
        WHERE id = (SELECT max(id::text)::uuid FROM checkpoints WHERE kind = 'before_turn') RETURNING id)
     DELETE FROM checkpoints WHERE kind = 'step' AND id > (SELECT id FROM turn)`,
  );
  await writeFile(at('late'), 'by a background command\n');
  const [last] = await list(chat_id);
  expect(last?.kind).toBe('step');
  expect(last?.files).toBeGreaterThan(0);
  expect((await list(chat_id))[0]?.id).toBe(last?.id);
});

test('a fork can begin with the files as of its message', async () => {
  const { messages } = await owner.ok('listMessages', { params: { chat_id } });
  const asked = messages.filter(({ role }) => role === 'user').map(({ id }) => id);
  const forked = async (message_id: number) => {
    const fork = await owner.ok('forkChat', {
      params: { chat_id },
      body: { message_id, files: true },
    });
    const workspace_id = fork.workspace_id ?? '';
    await eventually(async () => {
      const made = await owner.ok('getWorkspace', { params: { workspace_id } });
      expect(made).toMatchObject({ status: 'ready', template_id: template.id });
    });
    return fileTree(join(dataDir, 'workspaces', workspace_id, 'files'));
  };
  // The second turn only read: the files are those after the first one.
  const [first = 0, second = 0] = asked;
  expect(await forked(second)).toEqual({
    a: '644 1\n2\n',
    b: '644 1\n',
    c: '644 x\n',
    empty: 'folder',
  });
  expect(await forked(first)).toEqual({});
  const plain = await owner.ok('forkChat', { params: { chat_id }, body: { message_id: first } });
  expect(plain.workspace_id ?? null).toBeNull();
});

test('changes of a subagent belong to the turn of its root chat', async () => {
  const before = new Set((await list(chat_id)).map(({ id }) => id));
  subagentSteps = [[write('by-subagent', '1\n')]];
  await turn(chat_id, [
    [toolCall('spawn_agent', { prompt: 'Write a file' }, { id: 'spawn' })],
    [toolCall('wait_agent', {}, { id: 'wait' })],
  ]);
  expect(content('by-subagent')).toBe('1\n');
  const added = (await list(chat_id)).filter(({ id }) => !before.has(id));
  const { messages } = await owner.ok('listMessages', { params: { chat_id } });
  const asked = messages.findLast(({ role }) => role === 'user')?.id;
  expect(added.map(({ kind }) => kind).at(-1)).toBe('before_turn');
  expect(added.map(({ turn_message_id }) => turn_message_id)).toEqual(added.map(() => asked));
  expect(added[0]).toMatchObject({ kind: 'step', files: 1, additions: 1 });
  await owner.ok('restoreCheckpoint', {
    params: { chat_id, checkpoint_id: added.at(-1)?.id ?? '' },
    body: {},
  });
  await expect(readFile(at('by-subagent'))).rejects.toThrow('ENOENT');
});

test('an edited message restores the files from before it, unless they changed since', async () => {
  const other = await owner.ok('createChat', {
    body: { content: 'Nothing.', model_config_id, workspace_id: workspace.id },
  });
  await waiting(other.id);
  await turn(other.id, [[write('edited', '1\n')]]);
  const { messages } = await owner.ok('listMessages', { params: { chat_id: other.id } });
  const message_id = String(messages.findLast(({ role }) => role === 'user')?.id);
  const edit = (id: string) => ({
    params: { chat_id: other.id, message_id: id },
    body: { content: 'Again.', restore_files: true },
  });
  // The turn has ended, with its last checkpoint.
  await list(other.id);
  writeFileSync(at('edited'), 'by hand\n');
  expect(await owner.refusal('editMessage', edit(message_id))).toBe('409 files_changed');
  writeFileSync(at('edited'), '1\n');
  expect(await owner.refusal('editMessage', edit('1'))).toMatch(/^404 /);
  expect(content('edited')).toBe('1\n');
  await owner.ok('editMessage', edit(message_id));
  await waiting(other.id);
  await expect(readFile(at('edited'))).rejects.toThrow('ENOENT');
});

test('a fork with files is refused for a chat without a workspace', async () => {
  const other = await owner.ok('createChat', { body: { content: 'x', model_config_id } });
  await waiting(other.id);
  const { messages } = await owner.ok('listMessages', { params: { chat_id: other.id } });
  expect(
    await owner.refusal('forkChat', {
      params: { chat_id: other.id },
      body: { message_id: messages[0]?.id ?? 0, files: true },
    }),
  ).toBe('409 checkpoint_unavailable');
});

test('a restore is refused while the chat runs, and for checkpoints of other chats', async () => {
  const [some] = await list(chat_id);
  const other = await owner.ok('createChat', { body: { content: 'x', model_config_id } });
  await waiting(other.id);
  const checkpoint_id = some?.id ?? '';
  expect(
    await owner.refusal('restoreCheckpoint', {
      params: { chat_id: other.id, checkpoint_id },
      body: {},
    }),
  ).toBe('404 not_found');
  steps = [[run('sleep 3')]];
  await owner.ok('sendMessage', { params: { chat_id }, body: { content: 'Slowly.' } });
  expect(
    await owner.refusal('restoreCheckpoint', { params: { chat_id, checkpoint_id }, body: {} }),
  ).toBe('409 chat_active');
  await owner.ok('interruptChat', { params: { chat_id } });
  await waiting(chat_id);
});

test('checkpoints are deleted with their chat', async () => {
  const [some] = await list(chat_id);
  const records = at('../checkpoints/refs/checkpoints');
  const record = join(records, some?.id ?? '');
  const content = readFileSync(record, 'utf8');
  // The state after a kill before the name was stored.
  const twoHoursAgo = uuidv7At(Date.now() - 2 * 60 * 60_000);
  writeFileSync(join(records, twoHoursAgo), content);
  await execute(databaseUrl, `DELETE FROM chats WHERE id = '${chat_id}'`);
  // A sweep follows the deletion of any workspace.
  const another = await owner.ok('createWorkspace', { body: { template_id: template.id } });
  await owner.ok('deleteWorkspace', { params: { workspace_id: another.id } });
  await eventually(() => expect(() => readFileSync(record)).toThrow('ENOENT'));
  const left = execFileSync('git', ['--git-dir', at('../checkpoints'), 'for-each-ref'], {
    encoding: 'utf8',
  });
  expect(left).not.toContain(twoHoursAgo);
});

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '@chatd/loop';
import { expect, test } from 'vitest';
import { toJson } from '../../src/store/json.ts';
import { beatWorkspace, finishWorkspace } from '../../src/store/queries/workspaces.ts';
import { knownSecrets } from '../../src/secrets/secret-values.ts';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import type { OwnMachine } from '../../src/machine/machine.ts';
import type { UseOptions } from '../../src/machines/machines.ts';
import { oneMachine } from './one-machine.ts';
import { ChatWorkspaceHandle } from '../../src/tools/workspace/chat-workspace-handle.ts';
import type { Workspaces } from '../../src/workspaces/workspaces.ts';
import { Checkpoints } from '../../src/workspaces/checkpoints/checkpoints.ts';
import { TurnCheckpoints } from '../../src/workspaces/checkpoints/turn-checkpoints.ts';
import { Diffs } from '../../src/workspaces/diff/diffs.ts';
import { eventually } from '@chatd/test-server/eventually';
import { execute } from '@chatd/test-server/database';
import { makeRepository } from '@chatd/test-server/workspaces';
import { ToolWorld } from './world.ts';

const world = await ToolWorld.start();
const { store } = world;
const here = await world.replica();
const newChat = async () => (await store.create()).id;

const repository = await makeRepository(join(world.directory, 'repository'), {
  'AGENTS.md': 'Use tabs.\n',
  'CLAUDE.md': 'Use tabs.\n',
  '.cursorrules': 'Be brief.\n',
  '.agents/skills/release/SKILL.md':
    '---\nname: release\ndescription: >\n  How to make\n  a release\n---\n# Releasing\nRun it.\n',
  '.agents/skills/release/scripts/run.sh': 'echo released\n',
  'a.txt': 'one\n',
});
const git = await world.template({ source: { git: { url: repository } } });

test('without a workspace the tools say what to do first', async () => {
  const turn = await here.turn(await newChat());
  for (const [name, args] of [
    ['read_file', { path: 'a' }],
    ['execute', { command: 'true' }],
    ['process_list', {}],
    ['start_workspace', {}],
  ] as const) {
    expect(await turn.refusal(name, args)).toContain('Create one first with create_workspace');
  }
  expect(turn.system).toEqual([]);
  expect(turn.names).not.toContain('read_skill');
});

test('templates can be read, without the values of their environment variables', async () => {
  const name = await world.template({ description: 'for tests', env: { TOKEN: 'hush-hush' } });
  const turn = await here.turn(await newChat());
  const listed = await turn.call('list_templates');
  expect(listed).toMatchObject({
    templates: expect.arrayContaining([{ name, driver: 'host', description: 'for tests' }]),
  });
  const shown = await turn.call('read_template', { template: name.toUpperCase() });
  expect(shown).toMatchObject({ name, env: ['TOKEN'], network: 'none' });
  expect(JSON.stringify(shown)).not.toContain('hush-hush');
  expect(await turn.refusal('read_template', { template: 'none' })).toContain(
    'Available templates: ',
  );
});

test('a workspace is created with live setup output and can be used in the same turn', async () => {
  const template = await world.template({ setup: 'echo preparing; echo ready > state' });
  const id = await newChat();
  const turn = await here.turn(id);
  let shown = '';
  const made = await turn.call('create_workspace', { template }, { publish: (t) => (shown += t) });
  expect(made).toMatchObject({ status: 'ready', root: '/workspace', network: 'none' });
  expect(shown).toContain('preparing');
  expect(await turn.call('read_file', { path: 'state' })).toBe('     1\tready');
  const { workspace_id } = await world.chat(id);
  expect(made).toMatchObject({ workspace_id });
});

test('repeating the call that created a workspace returns the same workspace', async () => {
  const template = await world.template({});
  const id = await newChat();
  const same = { callId: 'call-1' };
  const first = await (await here.turn(id)).call('create_workspace', { template }, same);
  const again = await (await here.turn(id)).call('create_workspace', { template }, same);
  expect(again).toEqual(first);
});

test('a second workspace for a chat is refused while it has one', async () => {
  const template = await world.template({});
  const id = await newChat();
  await (await here.turn(id)).call('create_workspace', { template });
  expect(await (await here.turn(id)).refusal('create_workspace', { template })).toContain(
    'Use that one',
  );
});

test('a failed setup is an error with its output, and can be retried', async () => {
  const template = await world.template({ setup: 'echo broken; exit 3' });
  const turn = await here.turn(await newChat());
  const message = await turn.refusal('create_workspace', { template });
  expect(message).toContain('failed with exit code 3');
  expect(message).toContain('broken');
  expect(await turn.refusal('read_file', { path: 'a' })).toContain('failed');
  expect(await turn.refusal('start_workspace')).toContain('failed with exit code 3');
});

test('a setup that a dead replica had begun is restarted by the next replica that needs it', async () => {
  const template = await world.template({ setup: 'echo done > state' });
  const id = await newChat();
  const call = `${id}/0/call-1`;
  const known = await here.workspaces.templates.find(template);
  const wanted = { ownerId: store.owner, template: known!, call };
  const dying = await world.replica();
  const row = await dying.workspaces.create(wanted);
  await dying.workspaces.close();
  await execute(
    store.url,
    `UPDATE workspaces SET status = 'creating', beat_at = now() - interval '1 minute' WHERE id = '${row.id}'`,
  );
  const made = await (
    await here.turn(id)
  ).call('create_workspace', { template }, { callId: 'call-1' });
  expect(made).toMatchObject({ workspace_id: row.id, status: 'ready' });
});

test('a restarted setup is not ended by its earlier attempt', async () => {
  const template = await world.template({ setup: 'until [ -e go-on ]; do sleep 0.05; done' });
  const known = await here.workspaces.templates.find(template);
  const row = await here.workspaces.create({ ownerId: store.owner, template: known! });
  const end = { id: row.id, status: 'failed', error: 'no', log: '', baselines: toJson({}) };
  const earlier = new Date(row.updated_at.getTime() - 1000);
  expect(await store.database.query(finishWorkspace, { ...end, attempt: earlier })).toEqual([]);
  const [ended] = await store.database.query(finishWorkspace, { ...end, attempt: row.updated_at });
  expect(ended).toMatchObject({ status: 'failed' });
  await here.workspaces.delete(row);
});

test('a replica waits for a setup that runs on another replica', async () => {
  const template = await world.template({ setup: 'until [ -e /tmp/never ]; do sleep 0.1; done' });
  const other = await world.replica();
  const known = await here.workspaces.templates.find(template);
  const row = await other.workspaces.create({ ownerId: store.owner, template: known! });
  const waiting = here.workspaces.awaitSetup(row.id, {
    signal: AbortSignal.timeout(60_000),
    onOutput: () => undefined,
  });
  await store.database.query(beatWorkspace, { id: row.id, log: '' });
  await other.workspaces.delete((await other.workspaces.find(row.id))!);
  expect(await waiting).toMatchObject({ status: 'deleted' });
});

test('a stopped workspace restarts with its files but without its processes', async () => {
  const id = await newChat();
  const turn = await here.turn(id);
  await turn.call('create_workspace', { template: 'empty' });
  await turn.call('write_file', { path: 'kept.txt', content: 'kept\n' });
  const { process_id } = (await turn.call('execute', {
    command: 'sleep 1000',
    run_in_background: true,
  })) as { process_id: string };
  expect(await turn.call('stop_workspace')).toContain('was stopped');
  expect(await turn.refusal('read_file', { path: 'kept.txt' })).toContain('start_workspace');
  expect(await turn.call('start_workspace')).toMatchObject({ status: 'ready' });
  expect(await turn.call('read_file', { path: 'kept.txt' })).toContain('kept');
  expect(await turn.refusal('process_output', { process_id })).toContain('does not exist');
});

test('a workspace stopped by another replica is also stopped here', async () => {
  const id = await newChat();
  const turn = await here.turn(id);
  await turn.call('create_workspace', { template: 'empty' });
  const { workspace_id } = await world.chat(id);
  const other = await world.replica();
  await other.workspaces.stop((await other.workspaces.find(workspace_id!))!);
  await eventually(async () =>
    expect(await turn.refusal('execute', { command: 'true' })).toContain('is stopped'),
  );
});

test('an idle workspace is stopped, one in use is not', async () => {
  const eager = await world.replica({ idleMs: 60_000 });
  const [idle, used] = [await newChat(), await newChat()];
  for (const id of [idle, used]) {
    await (await eager.turn(id)).call('create_workspace', { template: 'empty' });
  }
  await eager.workspaces.sweep();
  await execute(store.url, `UPDATE workspaces SET last_used_at = now() - interval '2 minutes'`);
  const turn = await eager.turn(used);
  await turn.call('execute', { command: 'true' });
  await eager.workspaces.sweep();
  expect(await turn.call('execute', { command: 'echo here' })).toMatchObject({ output: 'here\n' });
  expect(await (await eager.turn(idle)).refusal('read_file', { path: 'x' })).toContain(
    'is stopped',
  );
  // A workspace is in use as long as a command runs.
  const running = turn.call('execute', { command: 'until [ -e done ]; do sleep 0.02; done' });
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    await execute(store.url, `UPDATE workspaces SET last_used_at = now() - interval '2 minutes'`);
    await eager.workspaces.sweep();
  }
  await turn.call('write_file', { path: 'done', content: '' });
  expect(await running).toMatchObject({ exit_code: 0 });
});

test('a call that times out waiting for its machine names the machine', async () => {
  const offline = {
    clock: systemClock,
    use: (_: string, { signal, onWaiting }: Required<UseOptions>) => {
      onWaiting?.('far-away');
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    },
  } as unknown as Workspaces;
  const chat = await world.chat(await newChat());
  const { database } = world.store;
  const records = new Checkpoints({ database, workspaces: offline, log: world.log });
  const handle = new ChatWorkspaceHandle({
    chat,
    workspaces: offline,
    workspaceId: randomUUID(),
    database,
    checkpoints: new TurnCheckpoints(records, chat),
  });
  const shown: string[] = [];
  const context = { signal: new AbortController().signal, publish: (t: string) => shown.push(t) };
  await expect(handle.use(context, 20)).rejects.toThrow('far-away is offline and did not connect');
  expect(shown).toEqual(['Waiting for machine far-away.\n']);
});

test('a workspace that cannot be removed does not delay others, and a machine gets only its own workspaces', async () => {
  const made: string[] = [];
  const chats = [await newChat(), await newChat(), await newChat()];
  for (const id of chats) {
    await (await here.turn(id)).call('create_workspace', { template: 'empty' });
    made.push((await world.chat(id)).workspace_id ?? '');
  }
  const [first = '', second = '', foreign = ''] = made;
  const [tried, stopped]: string[][] = [[], []];
  const machineOf = (id: string, ids: string[]) =>
    ({
      id,
      name: id,
      workspaces: async () => ids,
      stop: async (spec: { id: string }) => void stopped?.push(spec.id),
      remove: async (spec: { id: string }) => {
        tried?.push(spec.id);
        throw new Error('docker rm failed');
      },
    }) as unknown as OwnMachine;
  const machines = {
    ...oneMachine(world.machine),
    held: () => [machineOf(randomUUID(), [foreign]), machineOf(world.machine.id, [])],
  };
  const { workspaces } = await world.replica({ machines, bus: new MemoryBus(world.log) });
  await here.workspaces.stop((await here.workspaces.find(foreign))!);
  for (const id of [first, second]) await workspaces.delete((await workspaces.find(id))!);
  expect(tried).toEqual(expect.arrayContaining([first, second]));
  expect(stopped).toEqual([]);
});

test('a chat and its subagents share a workspace, which outlives the chat', async () => {
  const parent = await newChat();
  await (await here.turn(parent)).call('create_workspace', { template: 'empty' });
  const turn = await here.turn(parent);
  await turn.call('write_file', { path: 'shared.txt', content: 'by the parent\n' });
  const child = { ...(await world.chat(await newChat())), root_chat_id: parent };
  const { tools } = await here.toolbox.open(child);
  const read = tools.find(({ name }) => name === 'read_file');
  expect(
    await read?.run(
      { path: 'shared.txt' },
      {
        callId: 'c',
        signal: new AbortController().signal,
        publish: () => undefined,
      },
    ),
  ).toContain('by the parent');
  const { workspace_id } = await world.chat(parent);
  await execute(store.url, `DELETE FROM chats WHERE id = '${parent}'`);
  expect(await here.workspaces.find(workspace_id!)).toMatchObject({ status: 'ready' });
});

test('instructions and skills of the workspace are pinned to the chat until its context is deleted', async () => {
  const id = await newChat();
  const first = await here.turn(id);
  const made = await first.call('create_workspace', { template: git });
  expect(made).toMatchObject({
    read_first: ['AGENTS.md', '.cursorrules'],
    skills: ['.agents/skills/release/SKILL.md'],
  });
  const turn = await here.turn(id);
  const prompt = turn.system.join('\n');
  expect(prompt).toContain('Instructions from AGENTS.md in the workspace:\n\nUse tabs.');
  expect(prompt).toContain('Be brief.');
  expect(prompt.match(/Use tabs/g)).toHaveLength(1);
  expect(prompt).toContain('- release: How to make a release');
  expect(await turn.call('read_skill', { name: 'release' })).toEqual({
    instructions: '# Releasing\nRun it.',
    folder: '.agents/skills/release',
    files: ['scripts/run.sh'],
  });
  const file = { name: 'release', path: 'scripts/run.sh' };
  expect(await turn.call('read_skill_file', file)).toBe('echo released\n');
  expect(await turn.refusal('read_skill_file', { ...file, path: '../../../a.txt' })).toContain(
    'outside the skill',
  );
  expect(await turn.refusal('read_skill', { name: 'none' })).toContain('Available skills: release');

  await turn.call('write_file', { path: 'AGENTS.md', content: `${'x'.repeat(70_000)}\n` });
  expect((await here.turn(id)).system).toEqual(turn.system);
  await execute(store.url, `DELETE FROM chat_contexts WHERE chat_id = '${id}'`);
  const again = (await here.turn(id)).system;
  expect(again.find((part) => part.includes('(truncated)'))?.length).toBeLessThan(66_000);
});

test('the diff includes commits and uncommitted changes of every repository', async () => {
  const id = await newChat();
  const turn = await here.turn(id);
  await turn.call('create_workspace', { template: git });
  const diffs = new Diffs(here.workspaces);
  const { workspace_id } = await world.chat(id);
  const row = (await here.workspaces.find(workspace_id!))!;
  expect((await diffs.of(row)).repositories).toMatchObject([{ path: '.', files: [] }]);
  await turn.call('execute', {
    command: `git mv a.txt b.txt && git commit -qm renamed && echo two >> b.txt &&
      mkdir inner && cd inner && git init -q && echo x > x && git add x`,
  });
  const { repositories } = await diffs.of(row);
  expect(repositories.map(({ path }) => path)).toEqual(['.', 'inner']);
  expect(repositories[0]?.files).toMatchObject([
    { path: 'b.txt', old_path: 'a.txt', status: 'renamed', additions: 1, deletions: 0 },
    // A nested repository is an untracked folder of the outer one.
    { path: 'inner/', untracked: true },
  ]);
  expect(repositories[1]).toMatchObject({
    base: null,
    head: null,
    files: [{ path: 'x', additions: 1 }],
  });
  await turn.call('edit_files', {
    files: [{ path: 'b.txt', edits: [{ old_text: 'two', new_text: '2' }] }],
  });
  expect((await diffs.of(row)).repositories[0]?.patch).toContain('+2\n');
});

test('a repository cannot make the diff run its programs', async () => {
  const id = await newChat();
  const turn = await here.turn(id);
  await turn.call('create_workspace', { template: git });
  await turn.call('execute', {
    command: `git config diff.external 'touch /workspace/ran-1'; git config core.fsmonitor 'touch /workspace/ran-2'
      git config diff.evil.textconv 'touch /workspace/ran-3'; echo '*.txt diff=evil' > .gitattributes; echo new > a.txt
      rm -f ran-*`,
  });
  const { workspace_id } = await world.chat(id);
  const row = (await here.workspaces.find(workspace_id!))!;
  const { repositories } = await new Diffs(here.workspaces).of(row);
  expect(repositories[0]?.patch).toContain('+new');
  expect(await turn.call('execute', { command: 'ls ran-*' })).toMatchObject({ exit_code: 2 });
});

test('secrets that the server knows are not shown by tools', async () => {
  const secret = `sk-${'0123456789abcdef'.repeat(2)}`;
  knownSecrets.add(secret);
  const turn = await here.turn(await newChat());
  await turn.call('create_workspace', { template: 'empty' });
  let shown = '';
  const publish = (text: string) => (shown += text);
  const output = await turn.call('execute', { command: `echo key ${secret}` }, { publish });
  expect(output).toMatchObject({ output: 'key [hidden]\n' });
  expect(shown).toBe('key [hidden]\n');
});

test('all tools except process_signal are idempotent', async () => {
  const turn = await here.turn(await newChat());
  const never = turn.names.filter((name) => !turn.tool(name).idempotent);
  expect(never).toEqual(['process_signal']);
});

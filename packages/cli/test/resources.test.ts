import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { EXIT } from '../src/exit-codes.ts';
import { chatd } from './support/in-process.ts';
import { ADMIN_TOKEN, startServer } from './support/server.ts';

vi.setConfig({ testTimeout: 120_000 });

const server = await startServer({ secret_key: 'a-secret-key-of-tests-0123456789' });
const { client, env, url } = server;
const folder = await mkdtemp(join(tmpdir(), 'chatd-resources-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function ok(args: string, input = ''): Promise<string> {
  const { code, stdout, stderr } = await chatd(args.split(' '), { env, input });
  expect([code, stderr.split('\n')[0]], args).toEqual([EXIT.ok, expect.anything()]);
  return stdout;
}

const json = async <Answer = never>(args: string, input = '') =>
  JSON.parse(await ok(`${args} --json`, input)) as Answer;

test('login saves a token that only its owner can read, logout revokes it', async () => {
  const home = { XDG_CONFIG_HOME: folder };
  const signedOut = await chatd(['user', 'me', '--url', url], { env: home });
  expect([signedOut.code, signedOut.stderr]).toEqual([
    EXIT.refused,
    expect.stringContaining('chatd login'),
  ]);

  const byLink = await chatd(['login'], { env: home, input: `${server.signInUrl}\n` });
  expect(byLink.stderr).toContain(`Signed in to ${url} as admin (admin)`);
  const path = join(folder, 'chatd', 'login.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const { token, token_id } = JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
  expect(token).not.toBe(ADMIN_TOKEN);
  const me = await chatd(['user', 'me', '--json'], { env: home });
  expect(JSON.parse(me.stdout)).toMatchObject({ username: 'admin' });

  // A saved token is sent to its server only.
  const elsewhere = await chatd(['user', 'me', '--url', 'http://127.0.0.1:1'], { env: home });
  expect(elsewhere.stderr).toContain('No token for http://127.0.0.1:1');

  expect((await chatd(['logout'], { env: home })).code).toBe(EXIT.ok);
  await expect(stat(path)).rejects.toThrow('ENOENT');
  const { tokens } = await client.call('listTokens');
  expect(tokens.map(({ id }) => id)).not.toContain(token_id);
  const again = await chatd(['login'], { env: home, input: `${server.signInUrl}\n` });
  expect([again.code, again.stderr]).toEqual([
    EXIT.refused,
    expect.stringContaining('was already used'),
  ]);
});

test('users: create with a password from stdin, sign in, show, change, suspend and delete', async () => {
  await ok('user create ada --password', 'correct horse battery\n');
  const login = await chatd(['login', url, '--username', 'ada'], {
    env: { XDG_CONFIG_HOME: join(folder, 'ada') },
    input: 'correct horse battery\n',
  });
  expect(login.stderr).toContain('as ada (member)');
  expect(await ok('user list')).toMatch(/ada +member +active +yes/);
  expect(await json('user show ada')).toMatchObject({ username: 'ada', role: 'member' });
  expect(await json('user update ada --spend-limit 12.5')).toMatchObject({
    spend_limit_micros: 12_500_000,
  });
  expect(await ok('user link ada')).toMatch(/^http:\/\/\S+\/sign-in\?token=\S+\n$/);
  await ok('token create theirs --user ada');
  expect(await ok('user tokens ada')).toContain('theirs');
  await ok('user revoke ada theirs --yes');
  expect(await ok('user tokens ada')).not.toContain('theirs');
  expect(await json('user interrupt ada')).toEqual({ chat_ids: [] });
  await ok('user suspend ada --yes');
  expect(await ok('user list')).toMatch(/ada +member +suspended/);
  await ok('user resume ada');
  expect(await ok('user list')).toMatch(/ada +member +active/);
  const unsure = await chatd(['user', 'delete', 'ada'], { env });
  expect([unsure.code, unsure.stderr]).toEqual([EXIT.usage, expect.stringContaining('--yes')]);
  await ok('user delete ada --yes');
  const gone = await chatd(['user', 'update', 'ada', '--role', 'admin'], { env });
  expect([gone.code, gone.stderr]).toEqual([
    EXIT.refused,
    expect.stringContaining('There is no user "ada"'),
  ]);
});

test('groups: create, add and remove members, restrict a model, delete', async () => {
  await ok('user create grace');
  expect(await json('groups create Research --spend-limit 500')).toMatchObject({
    name: 'Research',
    spend_limit_micros: 500_000_000,
  });
  expect(await json('groups add research grace admin')).toMatchObject({ members: 2 });
  expect(await json('groups remove Research admin')).toMatchObject({ members: 1 });
  expect(await ok('groups members Research')).toMatch(/grace\n$/);
  expect(await ok('groups list')).toMatch(/Research +1 +\$500\.00/);
  expect(await json('groups update Research --name Labs --spend-limit none')).toMatchObject({
    name: 'Labs',
    spend_limit_micros: null,
  });
  const { id } = (await json('groups show Labs')) as { readonly id: string };
  expect(await json('model update demo --group Labs')).toMatchObject({ group_ids: [id] });
  expect(await json('model update demo --all-users')).toMatchObject({ group_ids: null });
  await ok('groups delete Labs --yes');
  expect(await json('groups list')).toEqual([]);
  await ok('user delete grace --yes');
});

test('tokens: stdout has only the secret, which works until it is revoked', async () => {
  const secret = (await ok('token create pipeline --scope read --days 3')).trim();
  const asPipeline = { env: { CHATD_URL: url, CHATD_TOKEN: secret } };
  expect((await chatd(['chats', 'list'], asPipeline)).code).toBe(EXIT.ok);
  const refused = await chatd(['run', 'hello'], asPipeline);
  expect([refused.code, refused.stderr]).toEqual([
    EXIT.refused,
    expect.stringContaining('insufficient_scope'),
  ]);
  expect(await ok('token list')).toMatch(/pipeline +read/);
  await ok('token delete pipeline -y');
  expect((await chatd(['chats', 'list'], asPipeline)).code).toBe(EXIT.refused);
});

test('providers and models: keys are read from stdin and never shown', async () => {
  const key = 'sk-secret-0123456789';
  const made = await ok(
    'provider create openai-compatible Local --base-url http://127.0.0.1:1/v1 --key',
    key,
  );
  expect(made).not.toContain(key);
  expect(await json('provider show Local')).toMatchObject({ has_api_key: true });
  const failed = await chatd(['provider', 'test', 'Local'], { env });
  expect([failed.code, failed.stdout]).toEqual([EXIT.failed, expect.stringMatching(/^✗ /)]);
  await ok(
    'model create Local some-model --name Some --context-limit 1000 --set temperature=0.5 --set frequency_penalty=-0.5',
  );
  expect(await json('model show Some')).toMatchObject({
    model: 'some-model',
    temperature: 0.5,
    frequency_penalty: -0.5,
  });
  await ok('model update Some --set temperature=null --disable');
  expect(await json('model list')).not.toContainEqual(
    expect.objectContaining({ temperature: 0.5 }),
  );
  const unknown = await chatd(['model', 'show', 'Soem'], { env });
  expect(unknown.stderr).toContain('Available: Demo model (no key needed), Some.');
  const invalid = await chatd(
    ['model', 'update', 'Demo model (no key needed)', '--set', 'top_p=7'],
    { env },
  );
  expect([invalid.code, invalid.stderr]).toEqual([EXIT.refused, expect.stringContaining('top_p')]);
  await ok('provider delete Local --yes');
});

test('settings: show, change one by one, and refuse with the name of the setting', async () => {
  expect(await ok('settings show')).toMatch(/max_steps_per_turn +1200\n/);
  const changed = await json(
    'settings update --set max_steps_per_turn=7 --set dynamic_tool_timeout_seconds=null',
  );
  expect(changed).toMatchObject({ max_steps_per_turn: 7, dynamic_tool_timeout_seconds: null });
  const refused = await chatd(['settings', 'update', '--set', 'max_steps_per_turn=none'], { env });
  expect([refused.code, refused.stderr]).toEqual([
    EXIT.refused,
    expect.stringContaining('max_steps_per_turn'),
  ]);
  const nothing = await chatd(['settings', 'update'], { env });
  expect([nothing.code, nothing.stderr]).toEqual([EXIT.usage, expect.stringContaining('--set')]);
  await ok('settings update --set max_steps_per_turn=1200 --set dynamic_tool_timeout_seconds=300');
});

test('usage: by group and period, with the runtime of tools', async () => {
  expect(
    (await chatd(['usage', '--from', '2020-01-01', '--to', '2020-02-01'], { env })).stderr,
  ).toBe('No usage in this period.\n');
  const { id } = await client.call('createChat', { body: { content: 'hello', title: 'Used' } });
  await eventually(async () =>
    expect((await client.call('getChat', { params: { chat_id: id } })).status).toBe('waiting'),
  );
  const report = await json('usage --by user');
  expect(report).toMatchObject({ total: { calls: 1, tool_runtime_ms: 0 } });
  const shown = await ok('usage --by user');
  expect(shown).toMatch(/^USER +COST +CALLS +IN +OUT +RUNTIME +TOOLS\nadmin +\$0\.00 +1 /);
  expect(shown).toMatch(/\ntotal .* 0 ms\n$/);
  expect(await ok('usage --by model')).toContain('Demo model (no key needed)');
  const [head, first] = (await ok('usage --by user --csv')).split('\r\n');
  expect(head).toMatch(/^key,calls,input_tokens,/);
  expect(first).toMatch(/^[0-9a-f-]{36},[0-9]+(,[0-9]+)+$/);
  const wrong = await chatd(['usage', '--from', 'soon'], { env });
  expect([wrong.code, wrong.stderr]).toEqual([EXIT.refused, expect.stringContaining('from')]);
  await ok(`chats delete ${id} -y`);
});

test('files: list with the quota, download, and delete', async () => {
  const { id } = await client.files.upload(new Blob(['a,b\n']), { name: 'table.csv' });
  expect(await json('files list')).toMatchObject([{ id, name: 'table.csv', size: 4 }]);
  const { stdout, stderr } = await chatd(['files', 'list'], { env });
  expect(stdout).toMatch(/table\.csv +\S+ +4 B +0 +just now/);
  expect(stderr).toContain('1 kB of 1.0 GB used.');
  const path = join(folder, 'copy.csv');
  await ok(`files download table.csv -o ${path}`);
  expect(await readFile(path, 'utf8')).toBe('a,b\n');
  const again = await chatd(['files', 'download', id, '-o', path], { env });
  expect([again.code, again.stderr]).toEqual([
    EXIT.failed,
    expect.stringContaining('the file already exists'),
  ]);
  await ok('files delete table.csv -y');
  expect(await json('files list')).toEqual([]);
});

test('templates, workspaces and MCP servers', async () => {
  await ok(
    'template create shop --setup true --set limits.memory_mb=512 --network a.example,*.b.example',
    '',
  );
  expect(await json('template show shop')).toMatchObject({
    setup: 'true',
    limits: { memory_mb: 512 },
    network: { allowlist: ['a.example', '*.b.example'] },
  });
  const definition = JSON.stringify({ driver: 'host', description: 'from a file' });
  await ok('template update shop --from -', definition);
  expect(await ok('template list')).toContain('from a file');
  expect(await json('workspace create shop --name desk')).toMatchObject({
    name: 'desk',
    status: 'ready',
  });
  await ok('workspace stop desk');
  expect(await ok('workspace list')).toMatch(/desk +shop +stopped/);
  await ok('workspace delete desk -y');
  await ok('template delete shop -y');

  await ok('mcp create files node --cwd /tmp --memory-mb 512 --open-files 64 -- --eval 0');
  expect(await json('mcp show files')).toMatchObject({
    transport: 'stdio',
    args: ['--eval', '0'],
    cwd: '/tmp',
    limits: { memory_mb: 512, open_files: 64 },
  });
  expect(await json('mcp update files --cpu-seconds 5 --set cwd=null')).toMatchObject({
    limits: { memory_mb: 512, open_files: 64, cpu_seconds: 5 },
  });
  expect(await json('mcp show files')).not.toHaveProperty('cwd');
  const broken = await chatd(['mcp', 'test', 'files'], { env });
  expect(broken.code).toBe(EXIT.failed);
  await ok('mcp update files --disable');
  await ok('mcp delete files -y');
});

test('chats: list, search, show, export, label, archive, delete and restore', async () => {
  const chat = await client.call('createChat', {
    body: { content: 'hello', title: 'A walk on the \u001B[31m moon' },
  });
  const { id } = chat;
  await eventually(async () =>
    expect((await client.call('getChat', { params: { chat_id: id } })).status).toBe('waiting'),
  );
  expect(await ok('chats list --search moon')).toMatch(
    new RegExp(`${id} +waiting +A walk on the moon`),
  );
  expect(await ok(`chats show ${id.slice(-12)}`)).toContain('Hello! I am the demo model');
  expect(await ok(`chats export ${id}`)).toMatch(/^# A walk/);
  expect(await json(`chats cost ${id}`)).toMatchObject({ total: { calls: 1 } });
  await ok(`chats retry ${id}`);
  await eventually(async () =>
    expect((await client.call('getChat', { params: { chat_id: id } })).status).toBe('waiting'),
  );
  const [first]: { id: number; current: boolean }[] = await json(`chats versions ${id}`);
  expect(first?.current).toBe(false);
  expect(await ok(`chats versions ${id} --select ${first?.id}`)).toMatch(/yes/);
  await ok(`chats label ${id} team=ops draft=yes`);
  expect(await json(`chats label ${id} team=web --remove draft`)).toEqual({ team: 'web' });
  expect(await ok(`chats label ${id}`)).toBe('team  web\n');
  const mistaken = await chatd(['chats', 'label', id, 'team'], { env });
  expect([mistaken.code, mistaken.stderr]).toEqual([
    EXIT.usage,
    expect.stringContaining('"team" is not NAME=VALUE'),
  ]);
  const server = await client.mcpServers.create({
    name: 'notes',
    transport: 'http',
    url: 'http://127.0.0.1:1/mcp',
  });
  expect(
    await json(`chats update ${id} --title Walks --system-prompt Briefly --mcp notes`),
  ).toMatchObject({ title: 'Walks', system_prompt: 'Briefly', mcp_server_ids: [server.id] });
  expect(await json(`chats update ${id} --no-mcp`)).toMatchObject({ mcp_server_ids: [] });
  await ok(`chats archive ${id}`);
  expect(await json('chats list')).not.toContainEqual(expect.objectContaining({ id }));
  await ok(`chats unarchive ${id}`);
  await ok(`chats delete ${id} --yes`);
  const gone = await chatd(['chats', 'show', id], { env });
  expect([gone.code, gone.stderr]).toEqual([EXIT.refused, expect.stringContaining('not_found')]);
  await ok(`chats restore ${id}`);
  expect(await json('chats list')).toContainEqual(expect.objectContaining({ id }));
});

test('triggers: create, run, list runs, disable and delete', async () => {
  const created = await json<{ secret: string; path: string }>(
    'triggers create hook Do{{payload.n}} --webhook token --continue {{payload.n}} --max-failures none --spend-limit 2.5',
  );
  expect(created).toMatchObject({
    kind: 'webhook',
    verification: 'token',
    chat: { continue: { key: '{{payload.n}}' } },
    max_failures: null,
    spend_limit_micros: 2_500_000,
  });
  const response = await fetch(`${url}${created.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${created.secret}`, 'content-type': 'application/json' },
    body: '{"n": 1}',
  });
  expect(response.status).toBe(202);
  expect(await json('triggers run hook --payload {"n":2}')).toMatchObject({ status: 'started' });
  expect(await json('triggers runs hook')).toHaveLength(2);
  expect(await ok('triggers runs hook')).toContain('manual');
  // Other settings of the chats are kept.
  expect(await json('triggers update hook --disable --model demo')).toMatchObject({
    enabled: false,
    chat: { continue: { key: '{{payload.n}}' }, model_config_id: expect.any(String) },
  });
  const neither = await chatd(['triggers', 'create', 'x', 'y'], { env });
  expect([neither.code, neither.stderr]).toEqual([
    EXIT.usage,
    expect.stringContaining('--cron or --webhook'),
  ]);
  expect(await ok('triggers list')).toMatch(/hook +\/hooks\/\S+ +no/);
  await ok('triggers delete hook --yes');
  expect(await json('triggers list')).toEqual([]);
});

test.each([
  ['triggers', ['nightly', 'Update', '--cron', '0 3 * * *']],
  ['webhooks', ['https://example.com/chatd']],
])(
  '%s of other users: admins list them, and delete them by ID',
  async (group, [name = '', ...options]) => {
    const owner = `owner-of-${group}`;
    const { id: owner_id } = await json<{ id: string }>(`user create ${owner}`);
    const { token } = await json<{ token: string }>(`token create own --user ${owner}`);
    const asOwner = { env: { ...env, CHATD_TOKEN: token } };
    const created = await chatd([group, 'create', name, ...options, '--json'], asOwner);
    const { id } = JSON.parse(created.stdout) as { id: string };
    expect(await json(`${group} list`)).toEqual([]);
    expect(await json(`${group} list --all`)).toEqual([expect.objectContaining({ id, owner_id })]);
    expect(await ok(`${group} list --all`)).toMatch(new RegExp(`${id}.* ${owner}`));
    expect((await chatd([group, 'show', name], { env })).code).toBe(EXIT.refused);
    expect(await json(`${group} show ${id}`)).toMatchObject({ id, owner_id });

    const refused = await chatd([group, 'list', '--all'], asOwner);
    expect([refused.code, refused.stderr]).toEqual([
      EXIT.refused,
      expect.stringContaining('admin'),
    ]);

    await ok(`${group} delete ${id} --yes`);
    expect(await json(`${group} list --all`)).toEqual([]);
    const gone = await chatd([group, 'show', id], asOwner);
    expect([gone.code, gone.stderr]).toEqual([
      EXIT.refused,
      expect.stringContaining('Check the ID'),
    ]);
  },
);

test('projects: create, move chats to them, filter, and delete', async () => {
  const project = await json('projects create Shop --instructions Briefly.');
  expect(project).toMatchObject({ name: 'Shop', instructions: 'Briefly.', model_config_id: null });
  const demo = '00000000-0000-7000-8000-000000000002';
  expect(await json(`projects update shop --model ${demo}`)).toMatchObject({
    model_config_id: demo,
  });
  expect(await json('projects update shop --no-model --name Store')).toMatchObject({
    name: 'Store',
    instructions: 'Briefly.',
    model_config_id: null,
  });
  await ok('run -q --project Store Hello');
  const listed = async (filters: string) =>
    await json<{ id: string; project_id?: string }[]>(`chats list ${filters}`);
  const [chat] = await listed('--project Store');
  expect(chat).toMatchObject({ project_id: (project as { id: string }).id });
  const { id } = chat!;
  expect(await listed(`--project Store --model ${demo} --since 2026-01-01`)).toHaveLength(1);
  expect(await listed('--project Store --until 2026-01-01')).toEqual([]);
  expect(await listed('--project Store --min-cost 1000')).toEqual([]);
  const wrong = await chatd(['chats', 'list', '--min-cost', 'much'], { env });
  expect(wrong.code).toBe(EXIT.usage);
  await ok(`chats update ${id} --no-project`);
  expect(await listed('--project Store')).toEqual([]);
  await ok(`chats update ${id} --project store`);
  expect(await ok('projects list')).toMatch(/Store +Briefly\./);
  await ok('projects delete Store --yes');
  expect(await json(`chats show ${id}`)).not.toHaveProperty('chat.project_id');
});

test('share: with users, everyone and by a link, list, and revoke', async () => {
  await ok('user create lin');
  const { token } = await json<{ token: string }>('token create share --user lin');
  const asLin = { env: { ...env, CHATD_TOKEN: token } };
  const { id } = await client.call('createChat', { body: { content: 'hello', title: 'Common' } });
  const alone = await chatd(['share', id], { env });
  expect([alone.stdout, alone.stderr]).toEqual(['', 'Only you can access this chat.\n']);

  expect(await ok(`share ${id} --with lin --role editor`)).toMatch(/lin +editor/);
  expect(await ok(`share ${id} --everyone`)).toMatch(
    /everyone +viewer\n.*lin +editor|lin +editor\neveryone +viewer/,
  );
  expect((await chatd(['chats', 'list', '--shared'], asLin)).stdout).toMatch(/Common +admin/);
  for (const word of ['common', id.slice(-8)]) {
    expect((await chatd(['chats', 'show', word], asLin)).stdout).toContain(id);
  }
  const missing = await chatd(['chats', 'show', 'Uncommon'], asLin);
  expect([missing.code, missing.stderr]).toEqual([
    EXIT.usage,
    expect.stringContaining('has the title "Uncommon"'),
  ]);

  const disabled = await chatd(['share', id, '--link'], { env });
  expect([disabled.code, disabled.stderr]).toEqual([EXIT.refused, expect.stringContaining('link')]);
  await ok('settings update --set allow_chat_links=true');
  expect(await ok(`share ${id} --link --days 7`)).toContain(`${url}/shared/${id}#`);
  // The other grants and the link stay.
  expect(await ok(`share ${id} --everyone --revoke`)).not.toContain('everyone');
  expect(await json(`share ${id}`)).toMatchObject({
    grants: [{ username: 'lin', role: 'editor' }],
    link: { role: 'viewer' },
  });
  await ok(`share ${id} --revoke --yes`);
  const none = await json<object>(`share ${id}`);
  expect(none).toMatchObject({ grants: [] });
  expect(none).not.toHaveProperty('link');
  expect((await chatd(['chats', 'show', id], asLin)).code).toBe(EXIT.refused);
  const wrong = await chatd(['share', id, '--days', '7'], { env });
  expect([wrong.code, wrong.stderr]).toEqual([EXIT.usage, expect.stringContaining('--link')]);
  await ok('user delete lin --yes');
});

test('machines: create with a ready command, list, drain and delete', async () => {
  const command = await ok('machines create builder-1 --label zone=a');
  expect(command).toMatch(
    new RegExp(`^CHATD_MACHINE_TOKEN=chatd_machine_[\\w-]+ chatd machine --url ${url}\n$`),
  );
  expect(await ok('machines list')).toMatch(/builder-1 +offline +0 +– +never +zone=a/);
  const rotated = await ok('machines rotate-token builder-1 --yes');
  expect(rotated).toMatch(/^CHATD_MACHINE_TOKEN=chatd_machine_[\w-]+ chatd machine --url /);
  expect(rotated).not.toBe(command);
  expect(await json('machines drain builder-1')).toMatchObject({ draining: true });
  expect(await json('machines drain builder-1 --undo')).toMatchObject({ draining: false });
  expect(await ok('machines show builder-1')).toContain('zone');
  await ok('machines delete builder-1 --yes');
  expect(await json('machines list')).not.toContainEqual(
    expect.objectContaining({ name: 'builder-1' }),
  );
});

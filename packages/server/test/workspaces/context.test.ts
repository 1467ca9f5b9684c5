import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { readyWorkspace } from '@chatd/test-server/workspaces';

const directory = await makeTemporaryDirectory();
const dataDir = join(directory, 'data');
const source = join(directory, 'source');
await mkdir(dataDir);
await mkdir(join(source, '.agents/skills/release'), { recursive: true });
await writeFile(join(source, 'AGENTS.md'), 'Use tabs.\n');
await writeFile(
  join(source, '.agents/skills/release/SKILL.md'),
  '---\nname: release\ndescription: How to make a release.\n---\n# Steps\n',
);
await mkdir(join(source, '.agents/skills/review'), { recursive: true });
await writeFile(
  join(source, '.agents/skills/review/SKILL.md'),
  '---\nname: review\ndescription: Use it: after a change\n---\n# Steps\n',
);
afterAll(() => rm(directory, { recursive: true, force: true }));
const { admin, owner, stranger } = await startTestServer({
  dataDir,
  concurrency: 1,
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
});

const template = await admin.ok('createTemplate', {
  body: { name: 'shop', driver: 'host', source: { path: source } },
});
const workspace_id = await readyWorkspace(owner, template.id);

async function idle(body: object): Promise<string> {
  const { id } = await owner.ok('createChat', { body: { content: 'hello', ...body } });
  await eventually(async () =>
    expect(await owner.ok('getChat', { params: { chat_id: id } })).toMatchObject({
      status: 'waiting',
    }),
  );
  return id;
}

const contextOf = (chat_id: string) => owner.ok('getChatContext', { params: { chat_id } });

test('a chat reports the context of its next turn', async () => {
  const id = await idle({
    dynamic_tools: [{ name: 'look_up', description: 'Looks up', input_schema: {} }],
  });
  const before = await contextOf(id);
  expect(before).toMatchObject({ workspace_id: null, kept: false, files: [], skills: [] });
  const sources = new Map(before.tools.map(({ name, source: from }) => [name, from]));
  expect(sources.get('look_up')).toBe('client');
  expect(sources.get('execute')).toBe('workspace');
  expect(sources.get('spawn_agent')).toBe('subagents');
  expect(sources.get('ask_user_question')).toBe('people');
  expect(sources.has('read_skill')).toBe(false);

  await owner.ok('updateChat', { params: { chat_id: id }, body: { workspace_id } });
  const ahead = await contextOf(id);
  expect(ahead).toMatchObject({
    workspace_id,
    kept: false,
    files: [{ path: 'AGENTS.md', bytes: 10, cut: false }],
    skills: [
      {
        name: 'release',
        description: 'How to make a release.',
        path: '.agents/skills/release/SKILL.md',
      },
      {
        name: 'review',
        description: '',
        problem: expect.stringMatching(
          /^\.agents\/skills\/review\/SKILL\.md: The front matter is not valid YAML: .* at line 3,/,
        ),
      },
    ],
  });
  expect(ahead.tools.map(({ name }) => name)).toContain('read_skill');
});

test('a chat keeps its context until it is refreshed', async () => {
  const id = await idle({ workspace_id });
  expect(await contextOf(id)).toMatchObject({ kept: true, files: [{ path: 'AGENTS.md' }] });
  await owner.ok('refreshChatContext', { params: { chat_id: id } });
  expect(await contextOf(id)).toMatchObject({ kept: false, files: [{ path: 'AGENTS.md' }] });
});

test('in plan mode, the context marks the refused tools', async () => {
  const id = await idle({
    plan_mode: true,
    dynamic_tools: [{ name: 'look_up', description: 'Looks up', input_schema: {} }],
  });
  const { tools } = await contextOf(id);
  const refused = new Map(tools.map(({ name, refused: is }) => [name, is]));
  expect(refused.get('read_file')).toBe(false);
  expect(refused.get('propose_plan')).toBe(false);
  expect(refused.get('write_file')).toBe(true);
  expect(refused.get('look_up')).toBe(true);
});

test('MCP servers are listed without being contacted', async () => {
  const server = await admin.ok('createMcpServer', {
    body: { name: 'tickets', transport: 'http', url: 'http://127.0.0.1:1/mcp' },
  });
  const id = await idle({ mcp_server_ids: [server.id] });
  expect(await contextOf(id)).toMatchObject({
    mcp_servers: [{ id: server.id, name: 'tickets', sign_in_needed: false, tools: null }],
  });
  expect(await stranger.refusal('getChatContext', { params: { chat_id: id } })).toBe(
    '404 not_found',
  );
});

import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { answer, toolCall } from '@chatd/testing';
import { afterAll, expect, test, vi } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';
import { converse, messagesOf, textOf } from './conversation.ts';
import { answered, begin, box, chatIdOf, hasFocus, say } from './pages.ts';

const directory = await makeTemporaryDirectory();
afterAll(() => rm(directory, { recursive: true, force: true }));
const dataDir = join(directory, 'data');
await mkdir(dataDir);
const site = await openSite({
  dataDir,
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
});
const talk = converse(site.provider);
for (const [name, default_on] of [
  ['tickets', true],
  ['weather', false],
] as const) {
  await site.server.admin.ok('createMcpServer', {
    body: { name, transport: 'http', url: 'http://127.0.0.1:9/mcp', default_on },
  });
}

// Long tests, which take a while on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

test('a new chat gets the selected workspace and MCP servers', async () => {
  const { page, api } = await site.visit('/');
  await page.getByRole('button', { name: '1 of 2 MCP servers' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'weather' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'tickets' }).click();
  await page.keyboard.press('Escape');
  expect(await seriousIssues(page)).toEqual([]);
  await page.getByRole('button', { name: 'Workspace: No workspace' }).click();
  await page.getByRole('menuitemradio').last().click();
  await page.getByRole('button', { name: /^Workspace: New: / }).waitFor();
  const chat = await api.ok('getChat', { params: { chat_id: await begin(page, 'Hello') } });
  const { mcp_servers } = await api.ok('listMcpServers');
  expect(chat.mcp_server_ids).toEqual([mcp_servers.find(({ name }) => name === 'weather')?.id]);
  const { workspaces } = await api.ok('listWorkspaces');
  expect(workspaces.map(({ id }) => id)).toEqual([chat.workspace_id]);
});

test('@ suggests workspace files, with a note when there is no workspace', async () => {
  const { page, api } = await site.visit('/');
  await box(page).pressSequentially('@');
  await page.getByText('This chat has no workspace').waitFor();
  await box(page).press('Escape');
  await box(page).fill('');
  const { templates } = await api.ok('listTemplates');
  const { id } = await api.ok('createWorkspace', { body: { template_id: templates[0]!.id } });
  await eventually(async () =>
    expect(await api.ok('getWorkspace', { params: { workspace_id: id } })).toMatchObject({
      status: 'ready',
    }),
  );
  const files = join(dataDir, 'workspaces', id, 'files');
  await mkdir(join(files, 'src'), { recursive: true });
  await writeFile(join(files, 'src/main.ts'), 'export const x = 1;\n');
  await writeFile(join(files, 'readme.md'), '# Hello\n');
  await promisify(execFile)('chown', ['-R', '--reference', files, files]);
  const chat = await api.ok('createChat', { body: { content: 'Hello', workspace_id: id } });
  await page.goto(`${site.url}/chats/${chat.id}`);
  await box(page).pressSequentially('Look at @mai');
  await page.getByRole('option', { name: /main\.ts/ }).waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  await box(page).press('Enter');
  expect(await box(page).inputValue()).toBe('Look at @src/main.ts ');
});

test('/ suggests commands and runs the selected one', async () => {
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Hello');
  await answered(page, 'Hello');
  await box(page).pressSequentially('/pl');
  await page.getByRole('option', { name: /^\/plan/ }).waitFor();
  await box(page).press('Enter');
  await eventually(async () =>
    expect(await api.ok('getChat', { params: { chat_id: chatId } })).toMatchObject({
      plan_mode: true,
    }),
  );
  expect(await box(page).inputValue()).toBe('');
  await box(page).pressSequentially('/mod');
  await box(page).press('Tab');
  await page.getByRole('menuitemradio', { name: /^Sonnet/ }).waitFor();
  await page.keyboard.press('Escape');
  await hasFocus(box(page));
  // Esc closes the list, and the text is sent as is.
  await box(page).pressSequentially('/plan');
  await box(page).press('Escape');
  await box(page).press('Enter');
  await eventually(async () =>
    expect((await messagesOf(api, chatId)).map(textOf)).toContain('/plan'),
  );
});

test('a question is answered in its card or in the composer', async () => {
  const options = [{ label: 'PostgreSQL' }, { label: 'SQLite' }];
  talk.when('Ask', answer([toolCall('ask_user_question', { question: 'Which one?', options })]));
  talk.when('Ask on', answer([toolCall('ask_user_question', { question: 'And why?' })]));
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Ask');
  const card = page.getByRole('region', { name: 'Tool ask_user_question' });
  await card.getByRole('radio', { name: 'SQLite' }).check();
  await card.getByRole('button', { name: 'Send answer' }).click();
  await eventually(async () =>
    expect(JSON.stringify(await messagesOf(api, chatId))).toContain('{"selected":["SQLite"]}'),
  );
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await say(page, 'Ask on');
  await card.getByText('And why?').waitFor();
  await page.getByRole('button', { name: 'Go to 1 question' }).waitFor();
  await say(page, 'Because it is small');
  await eventually(async () =>
    expect((await messagesOf(api, chatId)).flatMap(({ content }) => content)).toContainEqual(
      expect.objectContaining({ type: 'tool-result', result: 'Because it is small' }),
    ),
  );
});

test('a message instead of an answer cancels the question, as the menu says', async () => {
  talk.when('Ask me', answer([toolCall('ask_user_question', { question: 'Sure?' })]));
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Ask me');
  await page.getByRole('button', { name: 'Go to 1 question' }).waitFor();
  await box(page).fill('Never mind');
  await page.getByRole('button', { name: 'More send options' }).click();
  await page.getByRole('menuitem', { name: /Cancels the question/ }).click();
  await eventually(() => expect(talk.heard).toContain('Never mind'));
  expect((await messagesOf(api, chatId)).map(textOf)).toContain('Never mind');
});

test('on touch screens Enter inserts a new line, targets are large, and 320 pixels are enough', async () => {
  const { page, api } = await site.visit('/', {
    viewport: { width: 320, height: 640 },
    hasTouch: true,
    isMobile: true,
  });
  await box(page).tap();
  await box(page).pressSequentially('one');
  await page.keyboard.press('Enter');
  await box(page).pressSequentially('two');
  expect(await box(page).inputValue()).toBe('one\ntwo');
  const held = talk.stall('one\ntwo');
  await page.getByRole('button', { name: 'Send' }).tap();
  await page.waitForURL(/\/chats\//);
  await held.reached;
  await box(page).fill('a message that is far too long to be shown on one line of a small screen');
  await page.getByRole('button', { name: 'Queue', exact: true }).tap();
  await page.getByRole('region', { name: 'Queue' }).waitFor();
  const composer = page.getByRole('region', { name: 'New message' });
  for (const name of ['Attach files', 'Plan mode', 'Stop', 'Queue']) {
    const target = await composer.getByRole('button', { name, exact: true }).boundingBox();
    expect(Math.min(target!.width, target!.height), name).toBeGreaterThanOrEqual(44);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(320);
  expect(await seriousIssues(page)).toEqual([]);
  await page.getByRole('button', { name: 'Stop', exact: true }).tap();
  await eventually(async () =>
    expect((await messagesOf(api, chatIdOf(page))).map(textOf)).toContain(
      'a message that is far too long to be shown on one line of a small screen',
    ),
  );
});

test('the preference for Enter is remembered', async () => {
  const held = talk.stall('Keys');
  const { page } = await site.visit('/');
  await begin(page, 'Keys');
  await held.reached;
  await page.getByRole('button', { name: 'More send options' }).press('Enter');
  await page.getByRole('menuitemcheckbox', { name: /Send with Ctrl or/ }).press('Enter');
  await page.keyboard.press('Escape');
  held.release();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.reload();
  await box(page).fill('one');
  await box(page).press('Enter');
  expect(await box(page).inputValue()).toBe('one\n');
  await box(page).press('Control+Enter');
  await eventually(() => expect(talk.heard).toContain('one'));
});

test('everything is reachable by keyboard, from the first message to stopping', async () => {
  const held = talk.stall('By keys');
  const { page, api } = await site.visit('/');
  // The text has the focus initially.
  await hasFocus(box(page));
  await page.keyboard.type('By keys');
  await page.keyboard.press('Control+Shift+l');
  expect(await page.getByRole('button', { name: 'Plan mode' }).getAttribute('aria-pressed')).toBe(
    'true',
  );
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/chats\//);
  await held.reached;
  await hasFocus(box(page));
  await page.keyboard.type('next');
  for (const name of ['Stop', 'Queue']) {
    await page.getByRole('button', { name, exact: true }).waitFor();
  }
  await page.keyboard.press('Tab');
  const focused = () =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  const seen = [await focused()];
  for (let step = 0; step < 6; step += 1) {
    await page.keyboard.press('Tab');
    seen.push(await focused());
  }
  expect(seen).toEqual(
    expect.arrayContaining(['Attach files', 'Plan mode', 'Stop', 'Queue', 'More send options']),
  );
  await page.keyboard.press('Control+j');
  await hasFocus(box(page));
  // A tooltip that is still open takes the first Escape.
  await eventually(async () => expect(await page.getByRole('tooltip').count()).toBe(0));
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await eventually(async () =>
    expect(await api.ok('getChat', { params: { chat_id: chatIdOf(page) } })).toMatchObject({
      status: 'waiting',
    }),
  );
  expect(await box(page).inputValue()).toBe('next');
});

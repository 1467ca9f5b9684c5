import { answer, text, toolCall } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { agentAccount } from '../../../server/src/machine/drivers/host/agent-account.ts';
import { probeSandbox } from '../../../server/src/machine/drivers/host/sandbox-probe.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { toJson } from '../../../server/src/store/json.ts';
import { insertWorkspace, moveWorkspace } from '../../../server/src/store/queries/workspaces.ts';
import { uuidv7 } from '../../../server/src/store/uuid.ts';
import { seriousIssues } from '../support/axe.ts';
import { openSite, type Person } from '../support/site.ts';

const sandbox = await probeSandbox(await agentAccount());
if (!sandbox.works) {
  process.stderr.write(
    `\nNOT TESTED: cards of workspaces, since bubblewrap does not work here (${sandbox.why}).\n\n`,
  );
}

const site = await openSite({
  dataDir: await makeTemporaryDirectory(),
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
});

const card = (page: Page, tool: string) => page.getByRole('region', { name: `Tool ${tool}` });

/** In the conversation, not in the announcements for screen readers. */
const said = (page: Page, words: string) => page.getByText(words, { exact: true }).waitFor();

/** An open chat of this user. It has a title, so that no model is asked for one. */
async function begin({ page, api }: Person, content: string, more: object = {}): Promise<string> {
  const { id } = await api.ok('createChat', { body: { content, title: content, ...more } });
  await page.goto(`${site.url}/chats/${id}`);
  return id;
}

test.skipIf(!sandbox.works)(
  'commands, files, changes, searches and a to-do list have their own cards',
  { timeout: 60_000 },
  async () => {
    site.provider.answer(
      answer([toolCall('create_workspace', { template: 'empty' })]),
      answer([
        toolCall('write_file', { path: 'notes.txt', content: 'one\ntwo\nthree\n' }, { chunks: 4 }),
      ]),
      answer([
        toolCall('execute', { command: 'cat notes.txt; printf "\\033[31mred\\033[0m"; exit 3' }),
      ]),
      answer([
        toolCall('edit_files', {
          files: [{ path: 'notes.txt', edits: [{ old_text: 'two', new_text: 'zwei' }] }],
        }),
      ]),
      answer([
        toolCall('search_files', { pattern: 'zw' }),
        toolCall('read_file', { path: 'notes.txt' }),
        toolCall('read_file', { path: 'nothing.txt' }),
      ]),
      answer([
        toolCall('todo_write', {
          todos: [
            { content: 'Write the notes', status: 'completed' },
            { content: 'Translate them', status: 'in_progress' },
          ],
        }),
      ]),
      answer([text('All is done.')]),
    );
    const person = await site.visit('/', { viewport: { width: 1280, height: 2400 } });
    const { page } = person;
    await begin(person, 'Work');
    await said(page, 'All is done.');

    await card(page, 'create_workspace').getByText('Created a workspace').waitFor();
    const command = card(page, 'execute');
    await command.getByRole('button', { name: /Ran cat notes\.txt/ }).click();
    await command.getByText('exit code 3').waitFor();
    await command.getByText('three').waitFor();
    // Colors are shown, and no escape sequence is left in the text.
    expect(await command.locator('pre').innerText()).not.toContain('\u001B');
    const edit = card(page, 'edit_files');
    await edit.getByText('-two', { exact: true }).waitFor();
    await edit.getByText('+zwei', { exact: true }).waitFor();
    await card(page, 'search_files').getByText('1 line').waitFor();
    const failed = card(page, 'read_file').filter({ hasText: 'Could not read' });
    // Failures are expanded by default.
    await failed.locator('pre').waitFor();
    await card(page, 'todo_write').getByText('1 of 2 done').waitFor();
    expect(await seriousIssues(page)).toEqual([]);
    expect(site.provider.rejected).toEqual([]);
  },
);

test('a question is answered in its card by keyboard', async () => {
  site.provider.answer(
    answer([
      toolCall('ask_user_question', {
        question: 'Which **database**?',
        options: [{ label: 'PostgreSQL', description: 'as always' }, { label: 'Another' }],
      }),
    ]),
    answer([text('PostgreSQL it is.')]),
  );
  const person = await site.visit('/');
  const { page } = person;
  await begin(person, 'Ask me');
  const question = card(page, 'ask_user_question');
  await question.getByRole('radio', { name: /PostgreSQL/ }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.type('18 if you can');
  expect(await seriousIssues(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await said(page, 'PostgreSQL it is.');
  const asked = site.provider.requests.at(-1)?.body;
  expect(JSON.stringify(asked)).toContain('18 if you can');
});

test('a plan is sent back with requested changes, and then accepted', async () => {
  site.provider.answer(
    answer([toolCall('propose_plan', { plan: '1. Tear it down' })]),
    answer([toolCall('propose_plan', { plan: '1. Mend it' })]),
    answer([text('Mended.')]),
  );
  const person = await site.visit('/');
  const { page, api } = person;
  const id = await begin(person, 'Plan', { plan_mode: true });
  const first = card(page, 'propose_plan').filter({ hasText: 'Tear it down' });
  await first.getByRole('textbox', { name: 'Requested changes' }).fill('Do not tear down');
  await first.getByRole('button', { name: 'Request changes' }).click();
  const second = card(page, 'propose_plan').filter({ hasText: 'Mend it' });
  await second.getByRole('button', { name: 'Accept plan' }).click();
  await said(page, 'Mended.');
  expect(await api.ok('getChat', { params: { chat_id: id } })).toMatchObject({ plan_mode: false });
});

test('calls are allowed and denied in their cards', async () => {
  const person = await site.visit('/');
  const { page, api } = person;
  await api.ok('updateApprovals', {
    body: { approvals: [{ pattern: 'list_templates', action: 'ask' }] },
  });
  site.provider.answer(
    answer([toolCall('list_templates', {}, { id: 'toolu_a' })]),
    answer([toolCall('list_templates', {}, { id: 'toolu_b' })]),
    answer([text('Enough.')]),
  );
  await begin(person, 'Look');
  await page.getByText('Wants to list templates').waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await card(page, 'list_templates').getByText('Listed templates').waitFor();
  await page.getByRole('button', { name: 'Deny', exact: true }).waitFor();
  await page.keyboard.press('Alt+n');
  await card(page, 'list_templates').getByText('Could not list templates').waitFor();
  await said(page, 'Enough.');
});

test('an unknown tool is shown with its input and output', async () => {
  site.provider.answer(
    answer([toolCall('weather', { city: 'Łódź', days: 3 })]),
    answer([text('Sunny.')]),
  );
  const person = await site.visit('/');
  const { page, api } = person;
  const id = await begin(person, 'Weather?', {
    dynamic_tools: [
      { name: 'weather', description: 'The weather', input_schema: { type: 'object' } },
    ],
  });
  await page.getByText('Wants to use weather').waitFor();
  const messages = await api.ok('listMessages', { params: { chat_id: id } });
  const call = messages.messages
    .flatMap(({ content }) => content)
    .find(({ type }) => type === 'tool-call');
  const tool_call_id = call?.type === 'tool-call' ? call.tool_call_id : '';
  await api.ok('submitToolResults', {
    params: { chat_id: id },
    body: { results: [{ tool_call_id, output: { sky: 'clear', '<b>x</b>': [1, 2] } }] },
  });
  await said(page, 'Sunny.');
  const weather = card(page, 'weather');
  await weather.getByRole('button', { name: /Used weather/ }).click();
  await weather.getByText('Łódź').waitFor();
  await weather.getByText('clear').waitFor();
  expect(await weather.locator('b').count()).toBe(0);
});

test('a call names the machine that it waits for', { timeout: 60_000 }, async () => {
  const person = await site.visit('/', { viewport: { width: 390, height: 844 } });
  const { page, api } = person;
  const { database } = site.server.store;
  const machine = await site.server.admin.ok('createMachine', { body: { name: 'builder-1' } });
  const id = uuidv7();
  await database.query(insertWorkspace, {
    id,
    owner_id: (await api.ok('getMe')).id,
    name: 'away',
    template_id: uuidv7(),
    template_name: 'empty',
    definition: toJson({ driver: 'host' }),
    host_id: machine.id,
    host_name: machine.name,
    made_by_call: null,
  });
  const ready = { id, status: 'ready', sources: ['creating'], error: null };
  await database.query(moveWorkspace, ready);
  site.provider.answer(
    answer([toolCall('execute', { command: 'make all' })]),
    answer([text('Done.')]),
  );
  const chat_id = await begin(person, 'Build', { workspace_id: id });
  const execute = card(page, 'execute');
  await execute.getByText('waiting for machine builder-1').waitFor();
  await execute.getByText('No output yet').waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  await api.ok('interruptChat', { params: { chat_id } });
});

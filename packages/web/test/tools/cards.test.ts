import { answer, gate, text, toolCall } from '@chatd/testing';
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
import { said as message, storeChat } from '../timeline/stored-chat.ts';

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

/** A new chat of this user, opened on the page. It has a title, so that none is generated. */
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
    // A nonzero exit code is a failure, and its output is expanded.
    const command = card(page, 'execute');
    await command.getByRole('button', { name: /Ran cat notes\.txt/, expanded: true }).waitFor();
    await command.getByText('exit code 3').waitFor();
    expect(await command.getAttribute('data-state')).toBe('failed');
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
    const changed = page.getByRole('region', { name: 'Changed files' });
    await changed.getByRole('button', { name: /in 1 file$/ }).waitFor();
    await changed.getByText('+3').waitFor();
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

test('an answer that is being written survives scrolling', async () => {
  site.provider.answer(
    answer([
      text('Many words.\n\n'.repeat(200)),
      toolCall('ask_user_question', {
        question: 'Which color?',
        options: [{ label: 'Red' }, { label: 'Blue' }],
      }),
    ]),
    answer([text('Blue it is.')]),
  );
  const person = await site.visit('/');
  const { page } = person;
  await begin(person, 'Ask me about colors');
  const question = card(page, 'ask_user_question');
  await question.getByRole('radio', { name: 'Blue' }).check();
  await question.getByRole('textbox').fill('A dark one');
  const timeline = page.locator('[data-timeline]');
  await timeline.evaluate((scroller) => scroller.scrollTo({ top: 0 }));
  await expect.poll(() => question.count()).toBe(0);
  await timeline.evaluate((scroller) => scroller.scrollTo({ top: scroller.scrollHeight }));
  expect(await question.getByRole('textbox').inputValue()).toBe('A dark one');
  expect(await question.getByRole('radio', { name: 'Blue' }).isChecked()).toBe(true);
  await question.getByRole('button', { name: 'Send answer' }).click();
  await said(page, 'Blue it is.');
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
  await page.getByRole('button', { name: 'Allow call' }).click();
  const allowed = card(page, 'list_templates').filter({ hasText: 'Listed templates' });
  await allowed.waitFor();
  // A finished call is a line.
  expect((await allowed.boundingBox())?.height).toBe(28);
  await page.getByRole('button', { name: 'Deny call' }).waitFor();
  await page.keyboard.press('Alt+n');
  await card(page, 'list_templates').getByText('Denied by you').waitFor();
  await said(page, 'Enough.');
});

test('only the chosen decisions are remembered, with the rule that was shown', async () => {
  const person = await site.visit('/');
  const { page, api } = person;
  const ask = ['list_templates', 'read_template'].map((pattern) => ({
    pattern,
    action: 'ask' as const,
  }));
  await api.ok('updateApprovals', { body: { approvals: ask } });
  site.provider.answer(
    answer([
      toolCall('list_templates', {}, { id: 'toolu_a' }),
      toolCall('list_templates', {}, { id: 'toolu_b' }),
      toolCall('read_template', { template: 'empty' }, { id: 'toolu_c' }),
    ]),
    answer([text('Looked.')]),
  );
  await begin(person, 'Look at all');
  await page.getByRole('button', { name: 'Go to 3 approvals' }).click();
  const read = page.locator('[data-row="tool"]').filter({ hasText: 'Wants to read the template' });
  await read.getByText('Always').click();
  await read.getByText('Saves the rule read_template for all your chats').waitFor();
  expect(await page.getByText(/^Saves the rule/).count()).toBe(1);
  expect(await seriousIssues(page)).toEqual([]);
  await page.getByRole('button', { name: 'Allow all 3 calls' }).click();
  await said(page, 'Looked.');
  expect((await api.ok('getApprovals')).approvals).toEqual([
    ask[0],
    { pattern: 'read_template', action: 'allow' },
  ]);
});

test('decided calls wait for the others, and the agent gets the reason of a denial', async () => {
  const person = await site.visit('/', { viewport: { width: 390, height: 844 } });
  const { page, api } = person;
  await api.ok('updateApprovals', {
    body: { approvals: [{ pattern: 'list_templates', action: 'ask' }] },
  });
  site.provider.answer(
    answer([
      toolCall('list_templates', {}, { id: 'toolu_a' }),
      toolCall('list_templates', {}, { id: 'toolu_b' }),
    ]),
    answer([text('I see.')]),
  );
  const id = await begin(person, 'Twice');
  const row = (call: string) => page.locator(`[data-key$="/${call}"]`);
  // No label is broken, also on a phone.
  await row('toolu_a').getByRole('button', { name: 'Allow call' }).waitFor();
  const lines = await page
    .locator('[data-row="tool"] button')
    .evaluateAll((all) =>
      all.map((button) => button.getBoundingClientRect().height).filter((height) => height > 44),
    );
  expect(lines).toEqual([]);
  // The buttons fill whole rows.
  const [allow, deny, explain] = await row('toolu_a')
    .getByRole('button', { name: /^(?:Allow|Deny) (?:call|with)/ })
    .evaluateAll((all) => all.map((button) => button.getBoundingClientRect().toJSON() as DOMRect));
  expect(allow).toMatchObject({ top: deny?.top, width: deny?.width, left: explain?.left });
  expect(deny?.right).toBe(explain?.right);
  await row('toolu_a').getByRole('button', { name: 'Allow call' }).click();
  await row('toolu_a').getByText('Approved, waiting for the others').waitFor();
  // Also after a reload.
  await page.goto(`${site.url}/chats/${id}`);
  await row('toolu_a').getByText('Approved, waiting for the others').waitFor();
  await row('toolu_b').getByRole('button', { name: 'Deny with reason…' }).click();
  await page.getByRole('textbox', { name: 'Reason for the agent' }).fill('One list is enough.');
  expect(await seriousIssues(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await said(page, 'I see.');
  await row('toolu_a').getByText('Listed templates').waitFor();
  await row('toolu_b').getByText('Denied by you').waitFor();
  await row('toolu_b').getByText('One list is enough.').waitFor();
  const asked = site.provider.requests.at(-1)?.body;
  expect(JSON.stringify(asked)).toContain('denied it. Reason: One list is enough.');
});

test('the duration of a call excludes the time that it waited for approval', async () => {
  const { page, api } = await site.visit('/');
  const call = { tool_call_id: 'toolu_a', tool_name: 'execute' };
  const id = await storeChat(site.server.store, api, site.modelConfigId, [
    message('user', 'Release it'),
    {
      role: 'assistant',
      content: [
        {
          ...call,
          type: 'tool-call',
          args: { command: 'make release' },
          created_at: '2026-03-01T10:00:00.000Z',
        },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          ...call,
          type: 'tool-result',
          result: { exit_code: 0, output: 'released' },
          started_at: '2026-03-01T11:00:00.000Z',
          created_at: '2026-03-01T11:00:02.000Z',
        },
      ],
    },
    message('assistant', 'Released.'),
  ]);
  await page.goto(`${site.url}/chats/${id}`);
  await card(page, 'execute').getByText('2.0 s').waitFor();
});

test('the to-do list stays in view while the turn runs', async () => {
  const middle = gate();
  site.provider.answer(
    answer([
      toolCall('todo_write', {
        todos: [
          { content: 'Write the notes', status: 'completed' },
          { content: 'Translate them', status: 'in_progress' },
        ],
      }),
    ]),
    answer([text(['Translating', middle, ', done.'])]),
  );
  const person = await site.visit('/', { viewport: { width: 390, height: 844 } });
  const { page } = person;
  await begin(person, 'Notes');
  const list = page.getByRole('region', { name: 'To-do list' });
  await list.getByRole('button', { name: '1 of 2 done Translate them' }).click();
  await list.getByText('Write the notes').waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  middle.release();
  await said(page, 'Translating, done.');
  await list.waitFor({ state: 'detached' });
});

test('reads, lists and searches in a row are one line, failures are not part of it', async () => {
  const { page, api } = await site.visit('/');
  const reads = ['a.ts', 'b.ts', 'a.ts', 'missing.ts'].map((path, at) => ({
    type: 'tool-call' as const,
    tool_call_id: `read-${at}`,
    tool_name: 'read_file',
    args: { path },
  }));
  const results = reads.map(({ tool_call_id, tool_name, args }) => ({
    type: 'tool-result' as const,
    tool_call_id,
    tool_name,
    result: `Content of ${args.path}`,
    ...(args.path === 'missing.ts' && { is_error: true }),
  }));
  const search = { tool_call_id: 'search', tool_name: 'search_files' };
  const id = await storeChat(site.server.store, api, site.modelConfigId, [
    message('user', 'Look around'),
    {
      role: 'assistant',
      content: [{ type: 'tool-call', ...search, args: { pattern: 'x' } }, ...reads.slice(0, 2)],
    },
    {
      role: 'tool',
      content: [{ type: 'tool-result', ...search, result: '' }, ...results.slice(0, 2)],
    },
    { role: 'assistant', content: reads.slice(2) },
    { role: 'tool', content: results.slice(2) },
    message('assistant', 'That is all.'),
  ]);
  await page.goto(`${site.url}/chats/${id}`);
  const explored = page.getByRole('region', { name: 'Exploration' });
  const line = explored.getByRole('button', { name: 'Explored 2 files, 1 search' });
  await line.waitFor();
  expect((await explored.boundingBox())?.height).toBe(28);
  await card(page, 'read_file').getByText('Content of missing.ts').waitFor();
  expect(await card(page, 'read_file').count()).toBe(1);
  await line.click();
  await card(page, 'read_file').first().getByRole('button').click();
  await explored.getByText('Content of a.ts').first().waitFor();
  expect(await seriousIssues(page)).toEqual([]);
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

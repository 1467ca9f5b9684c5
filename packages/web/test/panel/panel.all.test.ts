import type { Page, WebSocketRoute } from 'playwright-core';
import { expect, test } from 'vitest';
import { statement } from '../../../server/src/store/statement.ts';
import { panelIssues } from './issues.ts';
import { openWorkshop, write } from './workshop.ts';

const workshop = await openWorkshop();
const BUSY = { timeout: 60_000 };
const panelOf = (page: Page) => page.getByRole('region', { name: 'Side panel' });

const TABS = ['Changes', 'Terminal', 'Files', 'Ports', 'Details', 'Debug'];
/** Text that shows that a tab has loaded. */
const SHOWN: Record<string, string> = {
  Changes: '3 files',
  Terminal: 'Connected',
  Files: 'README.md',
  Ports: 'No program listens on a port',
  Details: 'AGENTS.md',
  Debug: 'No recorded model calls',
};

test.each([
  ['dark', { width: 1280, height: 800 }],
  ['light', { width: 320, height: 640 }],
  ['dark', { width: 390, height: 780 }],
] as const)('every tab is accessible, %s, %o', async (colorScheme, viewport) => {
  const { page, open } = await workshop.visit({ colorScheme, viewport, role: 'admin' });
  for (const tab of TABS) {
    await open(tab);
    await panelOf(page)
      .getByText(SHOWN[tab] ?? '')
      .first()
      .waitFor();
    expect(await panelIssues(page), tab).toEqual([]);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, tab).toBeLessThanOrEqual(viewport.width);
  }
});

test('arrow keys switch tabs, and Escape returns to the chat on a phone', async () => {
  const { page, open } = await workshop.visit({ viewport: { width: 390, height: 780 } });
  await open('Changes');
  await page.keyboard.press('End');
  await page.getByRole('tab', { name: 'Details', selected: true }).waitFor();
  await page.keyboard.press('Home');
  await page.getByRole('tab', { name: 'Changes', selected: true }).waitFor();
  await page.keyboard.press('Escape');
  await panelOf(page).waitFor({ state: 'hidden' });
});

test('the changes tab shows new changes', async () => {
  const { page, open, folder } = await workshop.visit();
  await open('Changes');
  const panel = panelOf(page);
  await panel.getByText('3 files').waitFor();
  await write(folder, { 'later.md': 'new\n' });
  // The server caches diffs for two seconds.
  await expect
    .poll(async () => {
      await panel.getByRole('button', { name: 'Refresh' }).click();
      return await panel.getByText('4 files').count();
    }, BUSY)
    .toBe(1);
  await panel.getByRole('treeitem', { name: /later\.md/ }).click();
  expect(
    await page.evaluate(() =>
      document.activeElement?.closest('section')?.getAttribute('aria-label'),
    ),
  ).toBe('later.md');
});

test('a terminal reconnects to the same shell', async () => {
  const { page, open } = await workshop.visit();
  const lines: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/terminal\?/, (line) => {
    lines.push(line);
    line.connectToServer();
  });
  await open('Terminal');
  const panel = panelOf(page);
  await panel.getByText('Connected').waitFor();
  await page.keyboard.type('secret=word; clear\n');
  await lines[0]?.close({ code: 1011, reason: 'a proxy has had enough' });
  await expect.poll(() => lines.length, BUSY).toBe(2);
  await panel.getByText('Connected').waitFor();
  await page.keyboard.type('echo "still $secret"\n');
  await expect.poll(() => panel.locator('.xterm-rows').innerText(), BUSY).toContain('still word');
});

test('several terminals can be open, and an ended one says so', async () => {
  const { page, open, api, workspaceId } = await workshop.visit();
  await open('Terminal');
  const panel = panelOf(page);
  await panel.getByText('Connected').waitFor();
  await panel.getByRole('button', { name: 'New terminal' }).click();
  await panel.getByRole('button', { name: 'Terminal 2', exact: true }).waitFor();
  await panel.getByText('Connected').waitFor();
  const listed = async () =>
    (await api.ok('listTerminals', { params: { workspace_id: workspaceId } })).terminals.length;
  await expect.poll(listed, BUSY).toBe(2);
  await page.keyboard.type('exit 3\n');
  await panel.getByText('The shell has ended with exit code 3.').waitFor();
  await panel.getByRole('button', { name: 'Close terminal 2' }).click();
  await panel.getByRole('button', { name: 'Terminal 1', exact: true }).waitFor();
  await expect.poll(listed, BUSY).toBe(1);
});

test('file content cannot run, and files that cannot be shown are explained', async () => {
  // The preview reports the script that its sandbox refuses.
  const { page, open, folder } = await workshop.visit({ hostile: true });
  await write(folder, { empty: '', 'long.txt': 'x\n'.repeat(6000), binary: '\u0000\u0001' });
  await open('Files');
  const panel = panelOf(page);
  const show = async (name: string) => {
    await panel.getByRole('searchbox', { name: 'Find file' }).fill(name);
    await panel.getByRole('treeitem', { name, exact: true }).click();
  };
  const back = () => panel.getByRole('button', { name: 'Back to files' }).click();
  await show('src/new/page.html');
  await panel.getByRole('button', { name: 'Show source' }).click();
  await panel.getByText('<script>alert(1)</script>').waitFor();
  await back();
  await show('empty');
  await panel.getByText('The file is empty.').waitFor();
  await back();
  await show('long.txt');
  await panel.getByText(/the first 5,000 lines/).waitFor();
  await back();
  await show('binary');
  await panel.getByText('Binary file').waitFor();
});

const forgetWorkspace = statement<{ id: string }, never>(
  'test-forget-workspace',
  `UPDATE chats SET workspace_id = NULL WHERE id = :id`,
);

test('a chat without a workspace explains what to do', async () => {
  const { page, open, chatId } = await workshop.visit();
  await workshop.site.server.store.database.query(forgetWorkspace, { id: chatId });
  await page.reload();
  for (const tab of ['Changes', 'Terminal', 'Files']) {
    await open(tab);
    await panelOf(page).getByText('No workspace yet').waitFor();
  }
});

test('labels are edited from the details', async () => {
  const { page, open, api, chatId } = await workshop.visit();
  await open('Details');
  const panel = panelOf(page);
  await panel.getByRole('region', { name: 'Labels' }).getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Name of label 1').fill('team');
  await page.getByLabel('Value of label 1').fill('blue');
  await page.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('team: blue').waitFor();
  await expect
    .poll(async () => (await api.ok('getChat', { params: { chat_id: chatId } })).labels, BUSY)
    .toEqual({
      team: 'blue',
    });
});

test('an admin reads recorded model calls', async () => {
  const { admin } = workshop.site.server;
  await admin.ok('updateSettings', { body: { debug_record: { enabled: true } } });
  const { page, open } = await workshop.visit({ role: 'admin' });
  await open('Debug');
  const panel = panelOf(page);
  await panel.getByText('completed').first().waitFor();
  await panel.getByText('turn').first().click();
  await panel.getByText('Please greet louder').first().waitFor();
  expect(await panelIssues(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Delete debug record of this chat' }).click();
  await panel.getByText('No recorded model calls').waitFor();
  await panel.getByRole('link', { name: 'Data and network settings' }).click();
  await page.getByRole('switch', { name: 'Record model calls' }).waitFor();
});

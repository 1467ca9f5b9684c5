import { expect, onTestFinished, test, vi } from 'vitest';
import { everythingProgram, startOAuthServer } from '@chatd/test-server/mcp';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { openSite } from '../support/site.ts';
import { SOON } from './soon.ts';

vi.setConfig({ testTimeout: 120_000 });

const dataDir = await makeTemporaryDirectory();
const site = await openSite({
  dataDir,
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: true },
});
const { admin } = site.server;

test('a stdio MCP server is added, tested and restricted, and its secrets are not shown again', async () => {
  const { page } = await site.visit('/settings/mcp-servers', { role: 'admin' });
  await page.getByRole('button', { name: 'Add MCP server' }).click();
  await page.getByLabel('Name').fill('Everything!');
  await page.getByRole('radio', { name: /^stdio/ }).check();
  await page.getByLabel('Command', { exact: true }).fill(everythingProgram.command);
  await page.getByLabel('Arguments').fill(everythingProgram.args.join('\n'));
  await page.getByLabel('Environment').fill('TOKEN');
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.getByText('Must be NAME=value').waitFor();
  await page.getByLabel('Environment').fill('TOKEN=a-secret-of-this-server');
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.getByText(/must be a slug/i).waitFor();
  await page.getByLabel('Name').fill('everything');
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.getByRole('heading', { level: 1, name: 'everything' }).waitFor();
  await page.getByText('Currently set: TOKEN').waitFor();
  expect(await page.content()).not.toContain('a-secret-of-this-server');

  await page.getByRole('button', { name: 'Test everything' }).click();
  await page.getByText(/tools available to agents/).click();
  await page.getByText('everything__echo', { exact: true }).waitFor();
  await page.getByLabel('Denied tools').fill('echo');
  await page.getByRole('switch', { name: 'Enabled by default' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Test everything' }).click();
  await page.getByText(/not available to agents/).waitFor();
  const { mcp_servers } = await admin.ok('listMcpServers');
  expect(mcp_servers.find(({ name }) => name === 'everything')).toMatchObject({
    tool_deny: ['echo'],
    default_on: true,
    env_names: ['TOKEN'],
  });
});

test('a member signs in to an MCP server in another window and signs out', async () => {
  const inbox = await startOAuthServer([{ name: 'mail' }], onTestFinished);
  await admin.ok('createMcpServer', {
    body: { name: 'inbox', transport: 'http', url: inbox.url, auth: { type: 'oauth' } },
  });
  const { page } = await site.visit('/settings/mcp-servers');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('button', { name: 'Sign in to inbox' }).click();
  const other = await opened;
  await other.getByText('Your agents can use it').waitFor();
  await page.getByText('Signed in to inbox').waitFor();
  expect(inbox.access.size).toBe(1);
  await page.getByRole('button', { name: 'Sign out of inbox' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out of inbox' }).click();
  await page.getByRole('button', { name: 'Sign in to inbox' }).waitFor();
});

test('a template is created and changed, and its workspace is stopped, started and deleted', async () => {
  const { page, api } = await site.visit('/settings/templates', { role: 'admin' });
  await page.getByRole('button', { name: 'Add template' }).click();
  await page.getByLabel('Name').fill('shop');
  await page.getByLabel('Initial files').selectOption('git');
  await page.getByLabel('URL').fill('nonsense');
  await page.getByRole('button', { name: 'Add template' }).click();
  await expect.poll(() => page.getByLabel('URL').getAttribute('aria-invalid'), SOON).toBe('true');
  await page.getByLabel('Initial files').selectOption('none');
  await page.getByLabel('Setup script').fill('echo all is set up');
  await page.getByLabel('Environment').fill('GREETING=hello world');
  await page.getByLabel('Memory limit').fill('512');
  await page.getByRole('button', { name: 'Add template' }).click();
  await page.getByRole('button', { name: 'Edit shop' }).click();
  await page.getByLabel('Network access').selectOption('allowlist');
  await page.getByLabel('Allowed hosts').fill('packages.example.net\n*.example.org');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { templates } = await admin.ok('listTemplates');
  const shop = templates.find(({ name }) => name === 'shop');
  expect(shop).toMatchObject({
    driver: 'host',
    setup: 'echo all is set up',
    env: { GREETING: 'hello world' },
    limits: { memory_mb: 512 },
    network: { allowlist: ['packages.example.net', '*.example.org'] },
  });

  await api.ok('createWorkspace', { body: { template_id: shop?.id, name: 'my shop' } });
  await page.getByRole('link', { name: 'Workspaces' }).click();
  await page.getByText('ready', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Setup log' }).click();
  await page.getByText('all is set up').waitFor();
  await page.getByRole('button', { name: 'Stop my shop' }).click();
  await page.getByRole('button', { name: 'Start my shop' }).click();
  await page.getByRole('button', { name: 'Stop my shop' }).waitFor();
  await page.getByRole('button', { name: 'Delete my shop' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete my shop' }).click();
  await page.getByText('No workspaces yet').waitFor();
});

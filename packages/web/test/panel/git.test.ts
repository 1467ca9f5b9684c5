import { createHmac } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@chatd/test-server/eventually';
import { startGitHost } from '@chatd/test-server/git';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { readyWorkspace } from '@chatd/test-server/workspaces';
import { answer, text } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { settled } from '../sidebar/rows.ts';
import { openSite } from '../support/site.ts';
import { panelIssues } from './issues.ts';
import { write } from './workshop.ts';

const directory = await makeTemporaryDirectory();
afterAll(() => rm(directory, { recursive: true, force: true }));
const dataDir = join(directory, 'data');
await mkdir(dataDir);
const host = await startGitHost('token-of-the-browser-0123456789');
await host.repositories.create('acme/shop', { 'README.md': 'A shop.\n' });
host.repositories.reaction = {
  checks: [{ name: 'build', conclusion: 'failure' }],
  reviews: [{ author: 'bob', state: 'CHANGES_REQUESTED' }],
  threads: [
    {
      isResolved: false,
      path: 'name.txt',
      line: 1,
      comments: [{ author: 'bob', body: 'Why not Boutique?' }],
    },
  ],
};
const WEBHOOK_SECRET = 'secret-of-the-webhook-0123456789';
const site = await openSite({
  dataDir,
  githubWebhookSecret: WEBHOOK_SECRET,
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
});
const template = await site.server.admin.ok('createTemplate', {
  body: {
    name: 'shop',
    driver: 'host',
    source: { git: { url: `https://${host.host}/acme/shop.git` } },
  },
});

test('a change becomes a pull request, and its review comments a message', async () => {
  const { page, api } = await site.visit('/settings/git');
  await page.getByRole('button', { name: 'Connect host' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect git host' });
  await dialog.getByRole('textbox', { name: 'Host' }).fill(host.host);
  await dialog.getByLabel('Token').fill('a-wrong-token');
  await dialog.getByRole('button', { name: 'Connect host' }).click();
  await dialog.getByText('refused the token').waitFor();
  await dialog.getByLabel('Token').fill(host.token);
  await dialog.getByRole('button', { name: 'Connect host' }).click();
  await page.getByRole('list', { name: 'Git connections' }).getByText('ann').waitFor();

  const workspaceId = await readyWorkspace(api, template.id);
  await write(join(dataDir, 'workspaces', workspaceId, 'files'), { 'name.txt': 'Store\n' });
  site.provider.answer(answer([text('Done.')]));
  const chat = await api.ok('createChat', {
    body: { content: 'Rename it', title: 'Rename the shop', workspace_id: workspaceId },
  });
  await settled(api, chat.id);
  await page.goto(`${site.url}/chats/${chat.id}`);
  await page.getByRole('button', { name: 'Side panel', exact: true }).click();
  await page.getByRole('tab', { name: 'Git', exact: true }).click();
  const panel = page.getByRole('region', { name: 'Side panel' });
  await panel.getByText('1 uncommitted file').waitFor();
  expect(await panelIssues(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Commit and push' }).click();
  await panel.getByRole('button', { name: 'Open pull request' }).click();
  await panel.getByRole('link', { name: 'Rename the shop #1' }).waitFor();
  const [pull] = host.repositories.pulls('acme/shop');
  expect(pull?.branch).toMatch(/^chatd\/rename-the-shop-/);

  await panel.getByText('Why not Boutique?').waitFor();
  await panel.getByText('changes requested').waitFor();
  expect(await panelIssues(page)).toEqual([]);

  // The host reports that a check has succeeded.
  if (pull === undefined) throw new Error('not opened');
  pull.checks = [{ name: 'build', conclusion: 'success' }];
  const told = page.waitForResponse(
    async (response) =>
      response.url().endsWith('/git/changes') &&
      ((await response.json()) as { changed: boolean }).changed,
  );
  // Again, in case the page waits only from now on.
  await eventually(async () => {
    await reportCheck();
    const isTold = await Promise.race([told.then(() => true), page.waitForTimeout(1000)]);
    expect(isTold).toBe(true);
  });
  await panel.getByText('success').waitFor();
  site.provider.answer(answer([text('Boutique it is.')]));
  await panel.getByRole('button', { name: 'Address review comments' }).click();
  await page.getByText('Boutique it is.').first().waitFor();
  const sent = JSON.stringify(site.provider.requests.at(-1)?.body);
  expect(sent).toContain('bob on name.txt:1');
  expect(sent).toContain('> Why not Boutique?');
}, 120_000);

/** Reports a completed check with a signed webhook, like GitHub. */
async function reportCheck(): Promise<void> {
  const repository = { full_name: 'acme/shop', html_url: `https://${host.host}/acme/shop` };
  const body = JSON.stringify({ action: 'completed', repository });
  const mac = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex');
  const { status } = await fetch(`${site.url}/git/webhooks/github`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'check_run',
      'x-hub-signature-256': `sha256=${mac}`,
    },
  });
  expect(status).toBe(204);
}

import { answer, text } from '@chatd/testing';
import { execute } from '@chatd/test-server/database';
import { expect, test, vi } from 'vitest';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';
import { SOON } from './soon.ts';

// Long tests in browsers that share a machine.
vi.setConfig({ testTimeout: 90_000 });

const site = await openSite();
site.provider.answerWith(() => answer([text('All is up to date.')]));

test('a schedule shows its next times, runs by hand, and its chat names it', async () => {
  const { page, api } = await site.visit('/settings/triggers');
  await page.getByText('No triggers yet').waitFor();
  await page.getByRole('button', { name: 'Add schedule' }).click();
  const cron = page.getByLabel('Schedule', { exact: true });
  await cron.fill('61 * * * *');
  await page.getByRole('status').getByText(/61/).waitFor();
  await cron.fill('30 3 * * 1-5');
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
  const next = page.getByRole('region', { name: 'Next times' });
  await next.getByText('At 03:30, Monday through Friday').waitFor();
  await expect.poll(() => next.getByText(/, 03:30 GMT\+9$/).count(), SOON).toBe(5);
  await page.getByLabel('Name', { exact: true }).fill('Nightly');
  await page.getByLabel('Prompt').fill('Update the dependencies');
  await page.getByLabel('Overlapping runs').selectOption('skip');
  await page.getByLabel('Approval rules').fill('permit execute');
  await page.getByRole('button', { name: 'Add trigger' }).click();
  await page.getByText('Must be allow, ask or deny').waitFor();
  await page.getByLabel('Approval rules').fill('allow execute(npm *)');
  expect(await seriousIssues(page)).toEqual([]);
  await page.getByRole('button', { name: 'Add trigger' }).click();
  await page.getByRole('heading', { level: 1, name: 'Nightly' }).waitFor();
  const { triggers } = await api.ok('listTriggers');
  expect(triggers).toMatchObject([
    {
      cron: '30 3 * * 1-5',
      timezone: 'Asia/Tokyo',
      concurrency: 'skip',
      max_failures: 5,
      chat: { approvals: [{ pattern: 'execute(npm *)', action: 'allow' }] },
    },
  ]);

  await page.getByRole('button', { name: 'Run now: Nightly' }).click();
  const runs = page.getByRole('list', { name: 'Runs' });
  await runs.getByText('done').waitFor();
  await runs.getByText('Started by hand').waitFor();
  await page.getByRole('button', { name: 'Triggers' }).click();
  const row = page.getByRole('list', { name: 'Triggers' }).getByRole('listitem');
  await row.getByText(/next: .*03:30/).waitFor();
  await row.getByText('done').waitFor();
  await row.getByRole('switch', { name: 'Nightly is enabled' }).uncheck();
  await expect
    .poll(async () => (await api.ok('listTriggers')).triggers[0]?.enabled, SOON)
    .toBe(false);
  expect(await seriousIssues(page)).toEqual([]);

  await row.getByRole('button', { name: 'Edit Nightly' }).click();
  await runs.getByRole('link', { name: 'Open chat' }).click();
  await page.getByText('All is up to date.').first().waitFor();
  await page.getByRole('link', { name: 'Started by the trigger Nightly' }).click();
  await page.getByRole('heading', { level: 1, name: 'Nightly' }).waitFor();
});

test('a webhook shows its secret once, renders a payload, and runs for a request', async () => {
  const { page, api } = await site.visit('/settings/triggers?edit=new-webhook');
  await page.getByLabel('Name', { exact: true }).fill('Issues');
  await page.getByLabel('Prompt').fill('Look at issue {{payload.issue.number}}');
  await page
    .getByText(/payload\.issue/)
    .last()
    .waitFor();
  await page.getByLabel('Test payload').fill('{"issue": {"number": 7}}');
  const rendered = page.getByRole('region', { name: 'Rendered message' });
  await rendered.getByText('Look at issue 7').waitFor();
  await page.getByRole('button', { name: 'Add trigger' }).click();
  const dialog = page.getByRole('dialog', { name: 'Secret of Issues' });
  const secret = (await dialog.getByLabel('Secret', { exact: true }).textContent()) ?? '';
  const address = (await dialog.getByLabel('Webhook URL').textContent()) ?? '';
  expect(await seriousIssues(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('heading', { level: 1, name: 'Issues' }).waitFor();
  expect(await page.content()).not.toContain(secret);

  const deliver = (bearer: string) =>
    fetch(address, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${bearer}`,
        'Content-Type': 'application/json',
        'X-Delivery-Id': 'delivery-1',
      },
      body: JSON.stringify({ issue: { number: 8 } }),
    });
  expect((await deliver(`${secret}x`)).ok).toBe(false);
  expect((await deliver(secret)).status).toBe(202);
  const runs = page.getByRole('list', { name: 'Runs' });
  await runs.getByText('Delivery delivery-1').waitFor();
  const [trigger] = (await api.ok('listTriggers')).triggers;
  const params = { trigger_id: trigger?.id ?? '' };
  const { runs: stored } = await api.ok('listTriggerRuns', { params });
  expect(stored.map(({ delivery_id }) => delivery_id)).toEqual(['delivery-1']);
});

test('an admin sees and deletes the triggers of other users', async () => {
  const { page, api } = await site.visit('/settings/triggers', { role: 'admin' });
  const { id: user_id } = await api.ok('createUser', {
    body: { username: 'grace' },
  });
  await execute(
    site.server.databaseUrl,
    `INSERT INTO triggers (id, owner_id, name, kind, enabled, cron, timezone, missed, next_fire_at, prompt, chat, concurrency)
     VALUES (gen_random_uuid(), '${user_id}', 'Report of Grace', 'schedule', true, '0 9 * * 1', 'UTC', 'skip',
             '2040-01-02T09:00:00Z', 'Summarize the week', '{}', 'queue')`,
  );
  const recorded = async () => {
    const { audit_events } = await api.ok('listAuditEvents', { query: { limit: 200 } });
    return audit_events.filter(({ action }) => action === 'trigger.list_all').length;
  };
  const before = await recorded();
  await page.getByRole('button', { name: 'Show triggers' }).click();
  const list = page.getByRole('list', { name: 'Triggers of other users' });
  const row = list.getByRole('listitem').filter({ hasText: 'Report of Grace' });
  await row.getByText('Report of Grace').waitFor();
  await row.getByText('Owner: grace').waitFor();
  await row.getByText('Summarize the week').waitFor();
  expect(await recorded()).toBeGreaterThan(before);
  expect(await seriousIssues(page)).toEqual([]);
  await row.getByRole('button', { name: 'Delete Report of Grace' }).click();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: 'Delete Report of Grace' })
    .click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await row.waitFor({ state: 'detached' });
  const { triggers } = await api.ok('listTriggers', { query: { all: true } });
  expect(triggers.filter(({ owner_id }) => owner_id === user_id)).toEqual([]);
});

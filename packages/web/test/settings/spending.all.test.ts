import { readFile } from 'node:fs/promises';
import { answer, text } from '@chatd/testing';
import { expect, test, vi } from 'vitest';
import { openSite } from '../support/site.ts';
import { SOON } from './soon.ts';

vi.setConfig({ testTimeout: 120_000 });

const site = await openSite();
const { admin } = site.server;

test('usage is shown as chart and table, grouped, and downloaded', async () => {
  // Dates and numbers do not depend on the language of the browser.
  const { page, api } = await site.visit('/settings/usage', { role: 'admin', locale: 'de-DE' });
  await page.getByText('No usage in this period').waitFor();
  site.provider.answer(answer([text('Good afternoon.')]));
  const { id: chat_id } = await api.ok('createChat', { body: { content: 'Hello', title: '=1+1' } });
  const idle = async (id: string) => {
    await expect
      .poll(async () => (await api.ok('getChat', { params: { chat_id: id } })).status, SOON)
      .toBe('waiting');
  };
  await idle(chat_id);
  const { provider_id } = await admin.ok('getModelConfig', {
    params: { model_config_id: site.modelConfigId },
  });
  const unpriced = await admin.ok('createModelConfig', {
    body: { provider_id, model: 'house-model', display_name: 'House', context_limit: 64_000 },
  });
  site.provider.answer(answer([text('Good evening.')]));
  const body = { content: 'Hello', title: 'Unpriced', model_config_id: unpriced.id };
  await idle((await api.ok('createChat', { body })).id);
  await page.reload();
  await page.getByText('The cost does not include 1 call of unknown price.').waitFor();
  const table = page.getByRole('table');
  await table.getByRole('row').nth(1).waitFor();
  const today = page.getByRole('figure', { name: 'Cost by day' }).getByRole('button').last();
  await today.focus();
  const value = (await today.getAttribute('aria-label')) ?? '';
  expect(value).toMatch(/^[A-Z][a-z]{2} \d{1,2}, \d{4}: \$\d/);
  await page.getByRole('figure').getByText(value).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page
    .getByRole('figure')
    .getByText(/: \$0\.00$/)
    .waitFor();
  await table.getByRole('columnheader', { name: 'Tool runtime' }).waitFor();
  await page.getByLabel('Measure').selectOption('Tool runtime');
  await page.getByRole('figure', { name: 'Tool runtime by day' }).waitFor();
  await page.getByLabel('Group by').selectOption('model');
  await table.getByRole('rowheader', { name: 'Sonnet' }).waitFor();
  await page.getByLabel('Users', { exact: true }).selectOption('all');
  await page.getByLabel('Group by').selectOption('user');
  await table.getByRole('rowheader', { name: 'visitor-1' }).waitFor();
  await page.getByLabel('Group by').selectOption('chat');
  await table.getByRole('rowheader', { name: '=1+1' }).waitFor();
  const downloaded = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const file = await readFile(await (await downloaded).path(), 'utf8');
  expect(file.split('\r\n')[0]).toContain('key,name,calls,input_tokens');
  expect(file.split('\r\n')[0]).toContain('runtime_ms,tool_runtime_ms');
  expect(file).toContain(`${chat_id},'=1+1,1,`);
  await page.getByLabel('Period', { exact: true }).selectOption('own');
  await page.getByLabel('First day').fill('2020-01-01');
  await page.getByLabel('Last day').fill('2020-01-31');
  await page.getByText('No usage in this period').waitFor();
});

test('default and individual limits are set, and a role and a password are changed', async () => {
  const { page } = await site.visit('/settings/spend', { role: 'admin' });
  const { id: user_id } = await admin.ok('createUser', { body: { username: 'grace' } });
  await page.getByLabel('Limit per user and month').fill('20');
  const form = page.getByRole('form', { name: 'Default limit' });
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect((await admin.ok('getSettings')).spend_limit_micros).toBe(20_000_000);
  await page.getByRole('button', { name: 'Limit of grace' }).click();
  const dialog = page.getByRole('dialog', { name: 'Spend limit for grace' });
  await dialog.getByLabel('Limit', { exact: true }).fill('2.50');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('$2.50 (custom)').waitFor();
  expect((await admin.ok('getSpend', { params: { user_id } })).limit_micros).toBe(2_500_000);

  await page.getByRole('link', { name: 'Users' }).click();
  const more = page.getByRole('button', { name: 'More actions for grace' });
  await more.click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  const roles = page.getByRole('dialog', { name: 'Role of grace' });
  await roles.getByRole('combobox', { name: 'Role' }).selectOption('admin');
  await roles.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Role of grace saved').waitFor();
  await more.click();
  await page.getByRole('menuitem', { name: 'Set password' }).click();
  const password = page.getByRole('dialog', { name: 'Password for grace' });
  await password.getByLabel('New password').fill('short');
  await password.getByRole('button', { name: 'Save' }).click();
  await password
    .getByText(/at least 8 characters/)
    .first()
    .waitFor();
  await password.getByLabel('New password').fill('long enough');
  await password.getByRole('button', { name: 'Save' }).click();
  await password.waitFor({ state: 'hidden' });
  await site.server.anonymous.ok('signIn', {
    body: { username: 'grace', password: 'long enough' },
  });
  await more.click();
  await page.getByRole('menuitem', { name: 'New API token' }).click();
  const token = page.getByRole('dialog', { name: 'New token for grace' });
  await token.getByLabel('Name').fill('for grace');
  await token.getByRole('radio', { name: /^Full access/ }).check();
  await token.getByRole('button', { name: 'Create token' }).click();
  const secret = (await token.getByLabel('Token', { exact: true }).textContent()) ?? '';
  expect((await site.server.as(secret).ok('getMe')).username).toBe('grace');
  await token.getByRole('button', { name: 'Done' }).click();
  await more.click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const asked = page.getByRole('alertdialog', { name: 'Delete user “grace”?' });
  await asked.getByRole('button', { name: 'Delete grace' }).click();
  await more.waitFor({ state: 'hidden' });
});

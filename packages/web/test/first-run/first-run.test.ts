import { answer, text } from '@chatd/testing';
import { expect, test } from 'vitest';
import { startOfferingProvider } from '../settings/offering-provider.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { openSite } from '../support/site.ts';
import { clicksOn } from './clicks.ts';

const site = await openSite({
  dataDir: await makeTemporaryDirectory(),
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: true },
});
const { admin } = site.server;
const KEY = 'sk-ant-a-key-for-these-tests';
const offering = await startOfferingProvider(KEY);
const real = { params: { model_config_id: site.modelConfigId } };

test('with a real model the welcome is short', async () => {
  const { page } = await site.visit('/', { role: 'admin' });
  await page.getByRole('heading', { name: 'What should we work on?' }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.getByRole('heading', { name: 'Example prompts' }).count()).toBe(0);
});

test('without a key, every example works with one click', async () => {
  await admin.ok('updateModelConfig', { ...real, body: { enabled: false } });
  const { page } = await site.visit('/', { role: 'admin' });
  const clicks = await clicksOn(page);
  const log = page.getByRole('log', { name: 'Messages' });
  const start = async (prompt: string) => {
    await page.goto(site.url);
    await page.getByRole('button', { name: new RegExp(`^${prompt}`) }).click();
    await page.waitForURL(/\/chats\/[\w-]{36}$/);
  };
  await start('Show me markdown');
  await log.getByText('And a formula for good measure').waitFor();
  expect(await clicks()).toBe(1);
  await start('Use a tool');
  await log.getByText(/answered:/).waitFor();
  expect(await log.getByText(/failed|error/i).count()).toBe(0);
  await start('Make a plan');
  await log.getByRole('button', { name: 'Accept plan' }).click();
  await log.getByText('You accepted the plan.').waitFor();
});

test('with a key, the first answer takes at most three clicks, and the checklist follows', async () => {
  await admin.ok('updateModelConfig', { ...real, body: { enabled: false } });
  const { page, api } = await site.visit('/', { role: 'admin' });
  // The real service, as far as the page knows.
  await page.route('**/api/v1/providers', async (route) => {
    const body = route.request().postDataJSON() as object | null;
    await route.continue(
      body === null ? {} : { postData: JSON.stringify({ ...body, base_url: offering.url }) },
    );
  });
  const clicks = await clicksOn(page);
  const checklist = page.getByRole('region', { name: 'Get started' });
  const field = checklist.getByLabel('API key or server URL');
  await field.click();
  await field.fill('sk-ant-a-wrong-key');
  await page.keyboard.press('Enter');
  await checklist.getByRole('alert').waitFor();
  expect((await api.ok('listProviders')).providers.map(({ name }) => name)).not.toContain(
    'Anthropic',
  );
  await field.fill(KEY);
  await checklist.getByText('Anthropic. The key is stored encrypted.').waitFor();
  await checklist.getByRole('button', { name: 'Connect' }).click();
  await page.getByText('Claude Haiku 4.5 is ready').waitFor();
  await checklist.getByText('Connect a model (done)').waitFor();
  offering.provider.answerWith(() => answer([text('A real answer.')]));
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('A real answer.').first().waitFor();
  expect(await clicks()).toBeLessThanOrEqual(3);

  await page.goto(site.url);
  await checklist.getByText('Start a chat (done)').waitFor();
  await checklist.getByRole('link', { name: 'Set a password' }).click();
  await page.getByLabel('New password', { exact: true }).fill('a long password');
  await page.getByLabel('Confirm new password').fill('a long password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByLabel('Current password').waitFor();
  await page.goto(site.url);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await checklist.count()).toBe(0);
});

test('a member is told to ask an admin', async () => {
  const { model_configs } = await admin.ok('listModelConfigs');
  for (const { id, display_name } of model_configs) {
    if (display_name.startsWith('Demo model')) continue;
    const params = { model_config_id: id };
    await admin.ok('updateModelConfig', { params, body: { enabled: false } });
  }
  const { page } = await site.visit('/');
  await page.getByText('Ask an admin to add a provider').waitFor();
  expect(await page.getByRole('region', { name: 'Get started' }).count()).toBe(0);
});

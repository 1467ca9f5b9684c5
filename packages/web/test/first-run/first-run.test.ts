import { expect, test } from 'vitest';
import { openSite } from '../support/site.ts';

const site = await openSite();
const { admin } = site.server;
const real = { params: { model_config_id: site.modelConfigId } };

test('with a real model the welcome is short', async () => {
  const { page } = await site.visit('/', { role: 'admin' });
  await page.getByRole('heading', { name: 'What should we work on?' }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.getByRole('link', { name: 'Add provider' }).count()).toBe(0);
  expect(await page.getByRole('heading', { name: 'Example prompts' }).count()).toBe(0);
});

test('a new user without a key can start a demo chat or add a provider with one click', async () => {
  await admin.ok('updateModelConfig', { ...real, body: { enabled: false } });
  const { page } = await site.visit('/', { role: 'admin' });
  const link = page.getByRole('link', { name: 'Add provider' });
  await link.waitFor();
  expect(await link.getAttribute('href')).toBe('/settings/providers?edit=new');
  await page.getByRole('button', { name: /^Show me markdown/ }).click();
  await page.waitForURL(/\/chats\/[\w-]{36}$/);
  await page
    .getByRole('log', { name: 'Messages' })
    .getByText('And a formula for good measure')
    .waitFor();
});

test('a member is told to ask an admin', async () => {
  const { page } = await site.visit('/');
  await page.getByText('Ask an admin to add a provider').waitFor();
  expect(await page.getByRole('link', { name: 'Add provider' }).count()).toBe(0);
});

import { answer, text } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { openSite } from '../support/site.ts';
import { startOfferingProvider } from './offering-provider.ts';

// Long tests in browsers that share a machine.
vi.setConfig({ testTimeout: 90_000 });

const KEY = 'sk-ant-a-key-that-nobody-may-see-again';
const site = await openSite();
const offering = await startOfferingProvider(KEY);

/** All API responses to this page from now on. */
function answersTo(page: Page): Promise<string>[] {
  const answers: Promise<string>[] = [];
  page.on('response', (response) => {
    if (!response.url().includes('/api/')) return;
    answers.push(response.text().catch(() => ''));
  });
  return answers;
}

test('first setup: a provider is chosen, its key tested, a model made the default and used', async () => {
  const { page, api } = await site.visit('/settings/providers', { role: 'admin' });
  const answers = answersTo(page);
  await page.getByRole('button', { name: 'Add provider' }).click();
  await page.getByRole('button', { name: /^Anthropic/ }).click();

  await page.getByLabel('API key').fill('sk-ant-a-wrong-key');
  await page.getByText('Advanced: base URL').click();
  await page.getByLabel('Base URL').fill(offering.url);
  await page.getByLabel('Name').fill('House');
  await page.getByRole('button', { name: 'Connect' }).click();
  const failed = page.getByRole('alert').filter({ hasText: 'the connection test failed' });
  await failed.waitFor();
  expect(await failed.textContent()).toMatch(/key/i);
  // An abandoned wizard leaves nothing behind.
  const names = (await api.ok('listProviders')).providers.map(({ name }) => name);
  expect(names).not.toContain('House');

  await page.getByLabel('API key').fill(KEY);
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('checkbox', { name: 'House model' }).check();
  await page.getByRole('checkbox', { name: 'Claude Haiku 4.5' }).check();
  await page.getByLabel('Default for new chats').selectOption({ label: 'House model' });
  expect(new Set(offering.keys)).toEqual(new Set(['sk-ant-a-wrong-key', KEY]));

  offering.provider.answer(answer([text('Here.')]));
  await page.getByRole('button', { name: 'Add 2 models' }).click();
  await page.getByText('House model, Claude Haiku 4.5 are ready').waitFor();
  const { model_configs } = await api.ok('listModelConfigs');
  expect(model_configs.find(({ is_default }) => is_default)).toMatchObject({
    display_name: 'House model',
    context_limit: 64_000,
  });

  offering.provider.answerWith(() => answer([text('Hello from the house.')]));
  await page.getByRole('link', { name: 'Start a chat' }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Hello from the house.').first().waitFor();
  expect(offering.provider.rejected).toEqual([]);
  // A reasoning model that the wizard added has its reasoning control.
  await page.getByRole('button', { name: /^Model:/ }).click();
  await page.getByRole('menuitemradio', { name: /^Claude Haiku 4.5/ }).click();
  await page.getByRole('button', { name: /Claude Haiku 4\.5.*Medium/ }).click();
  await page.getByRole('menuitemradio', { name: 'High' }).waitFor();

  await page.goto(`${site.url}/settings/providers`);
  await page.getByRole('button', { name: 'Edit House' }).click();
  await page.getByText('A key is stored, encrypted.').waitFor();
  expect(await page.getByLabel('API key').inputValue()).toBe('');
  expect(await page.content()).not.toContain(KEY);
  expect((await Promise.all(answers)).join('\n')).not.toContain(KEY);
});

import { expect, test } from 'vitest';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';

const site = await openSite();
await site.server.admin.ok('updateModelConfig', {
  params: { model_config_id: site.modelConfigId },
  body: { enabled: false },
});

test.each([
  ['light', 1280, 'admin'],
  ['dark', 1280, 'member'],
  ['dark', 320, 'admin'],
] as const)('the first page is accessible: %s, %i px, %s', async (scheme, width, role) => {
  const { page } = await site.visit('/', {
    role,
    colorScheme: scheme,
    viewport: { width, height: 720 },
  });
  await page.getByRole('heading', { name: 'Example prompts' }).waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
});

test.each([
  'Show me markdown',
  'Use a tool',
  'Ask me a question',
  'Make a plan',
  'Be slow for 30 seconds',
  'Fail and retry',
])('“%s” starts a chat with the demo model', async (prompt) => {
  const { page } = await site.visit('/');
  await page.getByRole('button', { name: new RegExp(`^${prompt}`) }).click();
  await page.waitForURL(/\/chats\/[\w-]{36}$/);
  await page.getByRole('main', { name: 'Conversation' }).getByText(prompt).first().waitFor();
});

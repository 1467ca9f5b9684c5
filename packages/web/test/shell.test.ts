import { answer, text } from '@chatd/testing';
import { expect, test } from 'vitest';
import { openSite } from './support/site.ts';

const site = await openSite();

test('a user with a sign-in link sends a message and reads the answer', async () => {
  // Answers any request, because the title is requested at any time.
  site.provider.answerWith(() => answer([text('Good afternoon.')]));
  const { page } = await site.visit('/');
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.waitForURL(/\/chats\/[\w-]{36}$/);
  await page.getByText('Good afternoon.').first().waitFor();
  expect(site.provider.rejected).toEqual([]);
});

test('an unknown address shows an error page', async () => {
  const { page } = await site.visit('/chats/0198c1e0-0000-7000-8000-000000000000');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  expect(await page.getByRole('link', { name: 'Start new chat' }).isVisible()).toBe(true);
});

import { answer, text } from '@chatd/testing';
import { expect, test } from 'vitest';
import { openSite } from './support/site.ts';

const site = await openSite();

test('somebody who comes by a sign-in link writes a message and reads the answer', async () => {
  // Whatever is asked: the title of the chat is, too, at a time of its own.
  site.provider.answerWith(() => answer([text('Good afternoon.')]));
  const { page } = await site.visit('/');
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.waitForURL(/\/chats\/[\w-]{36}$/);
  await page.getByText('Good afternoon.').first().waitFor();
  expect(site.provider.rejected).toEqual([]);
});

test('an address that leads nowhere says so', async () => {
  const { page } = await site.visit('/chats/0198c1e0-0000-7000-8000-000000000000');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  expect(await page.getByRole('link', { name: 'Start new chat' }).isVisible()).toBe(true);
});

import { answer, text } from '@chatd/testing';
import { expect, test } from 'vitest';
import { seriousIssues } from './support/axe.ts';
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

test.each([
  ['/no/such/page', 'Page not found'],
  ['/settings/nothing', 'Page not found'],
  ['/chats/0198c1e0-0000-7000-8000-000000000000', 'Chat not found'],
  ['/chats/nonsense', 'Chat not found'],
])('the address %s shows a page: %s', async (path, title) => {
  const { page } = await site.visit(path);
  await page.getByRole('heading', { name: title }).waitFor();
  expect(await page.getByRole('link', { name: 'Start new chat' }).isVisible()).toBe(true);
  expect(await page.content()).not.toMatch(/UUID|problem\+json/);
});

test('a used sign-in link shows a designed page', async () => {
  const { page } = await site.visit('/');
  const { id } = await site.server.admin.ok('createUser', { body: { username: 'late' } });
  const { url } = await site.server.admin.ok('createSignInLink', { params: { user_id: id } });
  await fetch(url, { redirect: 'manual' });
  expect((await page.goto(url))?.status()).toBe(401);
  await page.getByRole('heading', { name: 'This sign-in link is no longer valid' }).waitFor();
  // The style is applied: the Content-Security-Policy allows it.
  const card = await page.getByRole('main').boundingBox();
  expect(card?.width).toBeLessThan(500);
  expect(await seriousIssues(page)).toEqual([]);
  await page.getByRole('link', { name: 'Continue to chatd' }).click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
});

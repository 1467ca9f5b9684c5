import { answer, text } from '@chatd/testing';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousIssues } from './support/axe.ts';
import { openSite } from './support/site.ts';
import { smallTargets } from './support/targets.ts';

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

test('a page whose script cannot be loaded shows why, and the chat list stays', async () => {
  const { page } = await site.visit('/', { hostile: true });
  await page.route(/\/assets\/settings-[^/]*\.js$/, (route) => route.abort());
  await page.goto(`${site.url}/settings/appearance`);
  await page.getByRole('alert').getByText('This page could not be shown').waitFor();
  await page.getByRole('link', { name: 'New chat' }).first().click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.goBack();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload page' }).click();
  await page.getByRole('heading', { name: 'Appearance' }).first().waitFor();
});

test('a used sign-in link shows a styled error page', async () => {
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

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

async function place(locator: Locator) {
  const { x, y, width, height } = (await locator.boundingBox())!;
  return { left: x, top: y, right: x + width, bottom: y + height };
}

async function beginChat(page: Page): Promise<void> {
  site.provider.answerWith(() => answer([text('Good afternoon.')]));
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'Copy answer' }).waitFor();
}

test('the typeface is loaded, and the composer is exactly as wide as the messages', async () => {
  const { page } = await site.visit('/');
  await beginChat(page);
  const fonts = page.evaluate(() =>
    [...document.fonts].map(({ family, status }) => `${family} ${status}`),
  );
  expect(await fonts).toContainEqual(expect.stringMatching(/^"?Hanken Grotesk Variable"? loaded$/));
  for (const width of [1280, 700]) {
    await page.setViewportSize({ width, height: 800 });
    const composer = await place(page.locator('[aria-busy]'));
    const said = await place(page.getByRole('article', { name: /^You, / }));
    const heard = await place(page.locator('[data-row="text"] .md'));
    expect([said.right, heard.left], `${width}`).toEqual([composer.right, composer.left]);
  }
  const send = await place(page.getByRole('button', { name: 'Send' }));
  expect([send.right - send.left, send.bottom - send.top]).toEqual([36, 36]);
});

test.each([
  ['wide', {}],
  ['phone', PHONE],
])('a toast covers no button of the chat on a %s screen', async (_, options) => {
  const { page } = await site.visit('/', options);
  await beginChat(page);
  expect(await coveredByToast(page, 'header button, nav button, section button')).toEqual([]);
});

test('a toast covers no tab of the side panel', async () => {
  const { page } = await site.visit('/');
  await beginChat(page);
  await page.getByRole('button', { name: 'Side panel' }).click();
  await page.getByRole('tab').first().waitFor();
  expect(await coveredByToast(page, 'header button')).toEqual([]);
});

/** The names of the buttons outside the timeline that a toast covers. */
async function coveredByToast(page: Page, buttons: string): Promise<string[]> {
  await page.getByRole('textbox', { name: 'Message' }).fill('/stop');
  await page.getByRole('option', { name: /^\/stop/ }).click();
  const toast = page.locator('[data-sonner-toast]', { hasText: 'Nothing is running.' });
  await toast.waitFor();
  return await toast.evaluate((element, selector) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return [...document.querySelectorAll(selector)]
      .filter((button) => !element.contains(button) && button.closest('[data-timeline]') === null)
      .filter((button) => {
        const other = button.getBoundingClientRect();
        return other.left < right && other.right > left && other.top < bottom && other.bottom > top;
      })
      .map((button) => button.getAttribute('aria-label') ?? button.textContent);
  }, buttons);
}

test('on a touch screen every control is at least 44 pixels, and no tooltip opens', async () => {
  const { page } = await site.visit('/', { ...PHONE, role: 'admin' });
  // An opening menu is smaller.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  expect(await smallTargets(page)).toEqual([]);
  await beginChat(page);
  expect(await smallTargets(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show chat list' }).tap();
  await page.getByRole('searchbox', { name: 'Search chats' }).waitFor();
  expect(await smallTargets(page)).toEqual([]);
  expect(await page.getByRole('tooltip').count()).toBe(0);
  await page.getByRole('button', { name: /^Account: / }).tap();
  await page.getByRole('menuitem', { name: 'Settings' }).waitFor();
  expect(await smallTargets(page)).toEqual([]);
  for (const section of ['appearance', 'providers', 'users']) {
    await page.goto(`${site.url}/settings/${section}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await smallTargets(page), section).toEqual([]);
  }
});

test('a drawer opened by a click shows no tooltip over its search field', async () => {
  const { page } = await site.visit('/', { viewport: { width: 600, height: 800 } });
  await page.getByRole('button', { name: 'Show chat list' }).click();
  await page.getByRole('searchbox', { name: 'Search chats' }).waitFor();
  expect(await page.getByRole('tooltip').count()).toBe(0);
});

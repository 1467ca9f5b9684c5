import { expect, test } from 'vitest';
import { seriousIssues } from '../support/axe.ts';
import { newContext } from '../support/browser.ts';
import { openSite } from '../support/site.ts';

const site = await openSite();
/** For long tests on a busy machine. */
const LONG = { timeout: 120_000 };

test('after too many failed attempts the page counts down', LONG, async () => {
  const body = { username: 'mallory', password: 'the right password' };
  await site.server.admin.ok('createUser', { body });
  const wrong = { body: { username: 'mallory', password: 'wrong' } };
  for (let tries = 0; tries < 10; tries += 1) {
    expect(await site.server.anonymous.refusal('signIn', wrong)).toBe('401 invalid_credentials');
  }
  const page = await (await newContext()).newPage();
  await page.goto(site.url);
  await page.getByLabel('User name').fill('mallory');
  await page.getByLabel('Password').fill(body.password);
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Too many failed sign-in attempts.').waitFor();
  await page.getByText(/Try again in \d+:\d\d/).waitFor();
  expect(await page.getByRole('button', { name: 'Sign in' }).isDisabled()).toBe(true);
});

test('an unreachable server is reported', async () => {
  const page = await (await newContext()).newPage();
  await page.goto(site.url);
  await page.getByLabel('User name').fill('ada');
  await page.getByLabel('Password').fill('some password');
  await page.route('**/api/v1/session', (route) => route.abort());
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('The server is unreachable.').waitFor();
});

test.each([
  ['light', 1280],
  ['dark', 320],
] as const)('the sign-in page is accessible: %s, %i px wide', async (colorScheme, width) => {
  const page = await (
    await newContext({ colorScheme, viewport: { width, height: 640 } })
  ).newPage();
  await page.goto(site.url);
  await page.getByRole('heading', { name: 'Sign in to chatd' }).waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Enter your user name and password.').waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
});
